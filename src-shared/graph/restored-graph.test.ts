import { expect, test } from "vitest";
import { aChange } from "../testing/kit.ts";
import type { Change } from "./change.ts";
import { restoredBookmarks, restoredChanges } from "./restored-graph.ts";

const change = (changeId: string, commitId: string, over: Partial<Change> = {}): Change =>
  aChange(changeId, { commitId, parents: ["root"], description: `${changeId}\n`, ...over });

test("each change says what happens to it; one with only a new parent commit of the same change is not moved", () => {
  const before = [
    change("new", "n1", { metadata: { agent: "agent-1", run: "r" } }),
    change("edited", "e2"),
    change("above", "a2", { parents: ["e2"] }),
    change("told", "t2", { description: "told anew\n" }),
    change("moved", "m2", { parents: ["e2"] }),
    change("same", "s1"),
  ];
  const after = [
    change("edited", "e1"),
    change("above", "a1", { parents: ["e1"] }),
    change("told", "t1"),
    change("moved", "m1"),
    change("lost", "l1"),
    change("same", "s1"),
  ];
  expect(restoredChanges(before, after).map(({ changeId, how, agent }) => [changeId, how, agent])).toEqual([
    ["new", "goes", "agent-1"],
    ["edited", "other files", null],
    ["above", "other files", null],
    ["told", "other words", null],
    ["moved", "other place", null],
    ["lost", "comes back", null],
  ]);
});

test("bookmarks that move are listed with their target", () => {
  const titles = new Map([["b", "the second"]]);
  expect(
    restoredBookmarks(
      { main: ["b"], "O-A-1/agent-1": ["c"], kept: ["k"] },
      { main: ["a"], kept: ["k"] },
      titles,
    ),
  ).toEqual([
    { name: "O-A-1/agent-1", from: { commitId: "c", title: "c" }, to: null },
    { name: "main", from: { commitId: "b", title: "the second" }, to: { commitId: "a", title: "a" } },
  ]);
});
