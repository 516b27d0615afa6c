import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Change } from "#shared/graph/change.ts";
import { buildGraph } from "#shared/graph/change-graph.ts";
import { aChange } from "#shared/testing/kit.ts";
import { followShown, setLine } from "../client.ts";
import type { Edit } from "./edit-history.ts";
import { noGraph, useGraph } from "./graph-store.ts";
import { takeBack } from "./take-back-landing.tsx";

const change = (changeId: string, over: Partial<Change> = {}): Change =>
  aChange(changeId, { parents: ["commit-zzzz"], description: `${changeId}\n`, ...over });

/** What stands on the graph by the time of the undo. */
const show = (...changes: readonly Change[]): void =>
  useGraph.setState({
    graph: buildGraph({
      operation: "op",
      changes: [...changes, change("zzzz", { parents: [] })],
      refs: { bookmarks: {}, workspaces: {} },
    }),
  });
const refusal = async (edit: Edit) => {
  const taken = await takeBack(edit, "undo");
  return taken.kind === "refused" ? [taken.why, taken.at?.title ?? null] : taken.kind;
};

describe("what prevents an undo", () => {
  beforeEach(() => show(change("kkkk"), change("llll", { parents: ["commit-kkkk"] })));
  afterEach(() => useGraph.setState(noGraph));

  it("is what the host names for an operation, with a way there", async () => {
    const calls: unknown[] = [];
    const link = {
      async call(...[path, input]: [readonly string[], unknown, unknown]) {
        calls.push([path.join("."), input]);
        const at = { changeId: "llll", title: "llll" };
        return { kind: "refused", why: "It was moved in the meantime.", at };
      },
    };
    followShown(() => ({ repository: "/one", run: "run-1" }));
    setLine({ link, isOpen: () => true, close: () => undefined });
    expect(await refusal({ kind: "operation", operation: "op1" })).toEqual([
      "It was moved in the meantime.",
      "llll",
    ]);
    expect(calls).toEqual([["operation.undo", { repository: "/one", operation: "op1" }]]);
  });

  it("is its own kind, where no undo reaches it: in words, with a way there", async () => {
    const at = { key: "kkkk", title: "Write the view" };
    expect(await refusal({ kind: "final", why: "It has left. Reassign it again.", at })).toEqual([
      "It has left. Reassign it again.",
      "Write the view",
    ]);
    show(change("kkkk", { description: "Use user_id\n", metadata: { kind: "mutation" } }));
    expect(await refusal({ kind: "decision", title: "user_id" })).toEqual([
      expect.stringContaining("Make a new decision to replace it."),
      "Use user_id",
    ]);
    expect(await refusal({ kind: "plan", item: "card" })).toBe("gone");
  });
});
