import { describe, expect, it } from "vitest";
import type { Change } from "#shared/graph/change.ts";
import { buildGraph } from "#shared/graph/change-graph.ts";
import { foldHistory } from "#shared/graph/history-folding.ts";
import { aChange } from "#shared/testing/kit.ts";
import { firstChildRow, typeAhead, walk } from "./keyboard-walk.ts";

const change = (id: string, parents: readonly string[], description: string): Change =>
  aChange(id, { commitId: id, parents, description });

// Rows: 0 merge, 1 left, 2 right, 3 base
const graph = foldHistory(
  buildGraph({
    operation: "op",
    changes: [
      change("zm", ["zl", "zr"], "Bring together"),
      change("zl", ["zb"], "Add the client"),
      change("zr", ["zb"], "Add the store"),
      change("zb", [], "Begin"),
    ],
    refs: { bookmarks: {}, workspaces: {} },
  }),
  { open: new Set() },
);

describe("keys in the graph", () => {
  it("walk rows, and stop at both ends", () => {
    expect(walk(graph, -1, "ArrowDown")).toBe(0);
    expect(walk(graph, 3, "ArrowDown")).toBe(3);
    expect(walk(graph, 0, "ArrowUp")).toBe(0);
    expect(walk(graph, 1, "End")).toBe(3);
    expect(walk(graph, 1, "Home")).toBe(0);
  });

  it("follow the first parent and the nearest child", () => {
    expect(walk(graph, 0, "ArrowRight")).toBe(1);
    expect(walk(graph, 2, "ArrowRight")).toBe(3);
    expect(walk(graph, 3, "ArrowRight")).toBe(3);
    expect(walk(graph, 3, "ArrowLeft")).toBe(2);
    expect(firstChildRow(graph, 0)).toBe(-1);
  });

  it("leave other keys alone", () => {
    expect(walk(graph, 0, "a")).toBeNull();
  });

  it("jumps to typed text: one letter moves to the next match, more letters may stay", () => {
    expect(typeAhead(graph, 1, "a")).toBe(2);
    expect(typeAhead(graph, 2, "a")).toBe(1);
    expect(typeAhead(graph, 2, "add the s")).toBe(2);
    expect(typeAhead(graph, 0, "zb")).toBe(3);
    expect(typeAhead(graph, 0, "nothing")).toBeNull();
  });
});
