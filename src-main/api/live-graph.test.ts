import { describe, expect, it } from "vitest";
import { aChange } from "#shared/testing/kit.ts";
import { createLiveGraph } from "./live-graph.ts";

describe("the live graph", () => {
  it("sends the names that moved, and all of them to a window that comes later", () => {
    const graph = createLiveGraph();
    const change = aChange("kkkk");
    const refs = { bookmarks: { main: ["1"], old: ["1"] }, workspaces: { one: "1", two: "1" } };
    graph.finish({ operation: "a", changes: [change], refs }, []);
    const next = { bookmarks: { main: ["2"] }, workspaces: { one: "1", two: "2" } };
    const delta = { added: [], removed: [] };
    expect(graph.apply({ ...delta, from: "a", operation: "b", refs: next }, ["b"])).toEqual({
      kind: "graph-delta",
      delta: { ...delta, from: "a", operation: "b" },
      refs: {
        in: { bookmarks: { set: { main: ["2"] }, gone: ["old"] }, workspaces: { set: { two: "2" } } },
      },
      operations: ["b"],
    });
    expect(graph.apply({ ...delta, from: "b", operation: "c", refs: next }, []).refs).toBeNull();
    expect(graph.parts().at(-1)).toMatchObject({ refs: next, operation: "c", last: true });
  });
});
