import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { longest, sortLongestFirst } from "./longest-first.ts";

const file = (path: string, project = "shared modules") => ({ path, project });

it("puts the longest first within each project and keeps the order of the others", () => {
  const ordered = sortLongestFirst([
    file("build/layers.test.ts", "own modules"),
    file("src-main/a.test.ts"),
    file("e2e/containment/recorded.test.ts"),
    file("src-main/b.test.ts"),
    file("e2e/containment/outside.test.ts"),
  ]).map(({ path }) => path);
  expect(ordered).toEqual([
    "build/layers.test.ts",
    "e2e/containment/outside.test.ts",
    "e2e/containment/recorded.test.ts",
    "src-main/a.test.ts",
    "src-main/b.test.ts",
  ]);
});

it("lists existing files only", () => {
  const root = fileURLToPath(new URL("..", import.meta.url));
  expect(longest.filter((path) => !existsSync(`${root}/${path}`))).toEqual([]);
});
