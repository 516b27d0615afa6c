import { expect, test } from "vitest";
import type { FileStat } from "#shared/contract/commands/graph.ts";
import { diffsByFile } from "./diff-page.tsx";

const file = (path: string): FileStat => ({
  path,
  source: path,
  kind: "modified",
  added: 1,
  removed: 0,
  bytes: 1,
});
const part = (path: string): string =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -0,0 +1,1 @@\n+diff --git a/x b/x\n`;

test("each part belongs to the file at its place", () => {
  const files = ["a", "b/c", "d"].map(file);
  const all = diffsByFile(files.map(({ path }) => part(path)).join(""), files, false);
  expect([...all]).toEqual(files.map(({ path }) => [path, part(path)]));
});

test("what was cut off is missing, and what does not fit is read on its own", () => {
  const files = ["a", "b", "c"].map(file);
  expect([...diffsByFile(part("a") + part("b"), files, true).keys()]).toEqual(["a", "b"]);
  expect(diffsByFile(part("a"), files, true).size, "it may have been cut in its middle").toBe(0);
  expect([...diffsByFile(part("z") + part("b"), files, true).keys()]).toEqual(["b"]);
});
