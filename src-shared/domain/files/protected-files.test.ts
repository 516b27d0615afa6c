import { expect, test } from "vitest";
import { isInstructionFile, reachesAnyOf } from "./protected-files.ts";

test("instructions are the project's own files of those names", () => {
  const paths = [
    "AGENTS.md",
    "packages/app/CLAUDE.md",
    "agents.md",
    "docs/AGENTS.md.bak",
    "node_modules/x/AGENTS.md",
  ];
  expect(paths.filter(isInstructionFile)).toEqual(["AGENTS.md", "packages/app/CLAUDE.md"]);
});

test("they apply to their folder and what is below it", () => {
  const reaches = (path: string, ...claims: string[]) => reachesAnyOf(path, claims);
  expect(reaches("AGENTS.md")).toBe(true);
  expect(reaches("packages/app/AGENTS.md", "packages/app/src/a.ts")).toBe(true);
  expect(reaches("packages/app/AGENTS.md", "packages/lib/a.ts", "README.md")).toBe(false);
  expect(reaches("packages/app/AGENTS.md", "packages/application/a.ts")).toBe(false);
  expect(reaches("packages/app/AGENTS.md", "packages/**")).toBe(true);
  expect(reaches("packages/app/AGENTS.md", "**/*.ts")).toBe(true);
});
