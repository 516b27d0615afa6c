import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Change } from "#shared/graph/change.ts";
import { buildGraph } from "#shared/graph/change-graph.ts";
import type { Edit } from "./edit-history.ts";
import { noGraph, useGraph } from "./graph-store.ts";
import { takeBack } from "./take-back.ts";

const change = (changeId: string, over: Partial<Change> = {}): Change => ({
  changeId,
  commitId: `commit-${changeId}`,
  parents: ["commit-zzzz"],
  description: `${changeId}\n`,
  author: { name: "", email: "" },
  timestamp: 0,
  metadata: {},
  immutable: false,
  divergent: false,
  conflict: false,
  ...over,
});

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

  it("is another description, or none", async () => {
    const edit = { kind: "describe", before: "was\n" } as const;
    expect(await refusal({ ...edit, key: "kkkk", after: "mine\n" })).toEqual([
      "Its description was changed in the meantime.",
      "kkkk",
    ]);
    expect(await refusal({ ...edit, key: "mmmm", after: "mine\n" })).toEqual([
      "It is no longer on the graph.",
      null,
    ]);
  });

  it("is another value of what was set, named with the value of now", async () => {
    show(change("kkkk", { metadata: { priority: "critical" } }));
    const edit: Edit = { kind: "metadata", key: "kkkk", before: {}, after: { priority: "high" } };
    expect(await refusal(edit)).toEqual(["Its priority was changed in the meantime to critical.", "kkkk"]);
  });

  it("is another place, several parents, or a ground that is gone", async () => {
    const edit = { kind: "rebase", key: "llll" } as const;
    expect(await refusal({ ...edit, before: "zzzz", after: "nnnn" })).toEqual([
      "It was moved in the meantime.",
      "llll",
    ]);
    expect(await refusal({ ...edit, before: "mmmm", after: "kkkk" })).toEqual([
      "Its former parent no longer exists.",
      "llll",
    ]);
    show(change("kkkk"), change("llll", { parents: ["commit-kkkk", "commit-zzzz"] }));
    expect(await refusal({ ...edit, before: "zzzz", after: "kkkk" })).toEqual([
      "It was moved in the meantime.",
      "llll",
    ]);
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
