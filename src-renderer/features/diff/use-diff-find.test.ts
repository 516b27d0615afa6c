import { expect, it } from "vitest";
import { findMatches } from "../../kit/find/find-matches.ts";
import { linesOfDiff } from "./use-diff-find.ts";

it("numbers removed, added and unchanged lines by their side and skips headers", () => {
  const diff = [
    "diff --git a/tide.txt b/tide.txt",
    "--- a/tide.txt",
    "+++ b/tide.txt",
    "@@ -10,3 +12,3 @@ tide table",
    " the tide comes",
    "-low tide",
    "+high tide",
    " gone",
    "\\ No newline at end of file",
    "@@ -30 +32 @@",
    "-tide tide",
    "+--- a tide",
    "",
  ].join("\n");
  expect(
    findMatches(linesOfDiff("tide.txt", diff), "tide").map(({ key }) => [key.side, key.line, key.near]),
  ).toEqual([
    ["additions", 12, 12],
    ["deletions", 11, 13],
    ["additions", 13, 13],
    ["deletions", 30, 32],
    ["deletions", 30, 32],
    ["additions", 32, 32],
  ]);
});
