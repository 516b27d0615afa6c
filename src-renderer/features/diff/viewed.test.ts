import { expect, test } from "vitest";
import type { FileStat } from "#shared/contract/commands/graph.ts";
import { maxViewedChanges, type ViewedFiles } from "#shared/contract/settings.ts";
import { isSeen, markOf, withViewed } from "./viewed.ts";

const file: FileStat = { path: "a", source: "a", kind: "modified", added: 1, removed: 2, bytes: 3 };

test("a file is seen until it says something else", () => {
  const seen = markOf(file, "+one");
  expect(isSeen(seen, markOf(file, "+one"))).toBe(true);
  expect(isSeen(seen, markOf(file, null)), "before its diff is read").toBe(true);
  expect(isSeen(seen, markOf(file, "+two"))).toBe(false);
  expect(isSeen(seen, markOf({ ...file, added: 2 }, null))).toBe(false);
  expect(isSeen(undefined, markOf(file, null))).toBe(false);
});

test("of many changes those that were looked at last are kept", () => {
  let all: readonly ViewedFiles[] = [];
  for (let at = 0; at <= maxViewedChanges; at++) all = withViewed(all, `c${at}`, "a", "x");
  expect(all).toHaveLength(maxViewedChanges);
  expect(all[0]?.changeId).toBe("c1");
  all = withViewed(all, "c1", "b", "y");
  expect(all.at(-1)).toEqual({ changeId: "c1", files: { a: "x", b: "y" } });
  all = withViewed(withViewed(all, "c1", "a", null), "c1", "b", null);
  expect(all.some(({ changeId }) => changeId === "c1")).toBe(false);
});
