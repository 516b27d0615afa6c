import { describe, expect, it } from "vitest";
import { filesToPutBack, foldersAbove } from "./mount-budget.ts";

const file = (path: string, bytes = 10) => ({ path, link: null, bytes });
const folder = (path: string) => ({ path, link: null });

describe("filesToPutBack", () => {
  it("mounts everything if it is few enough", () => {
    expect(filesToPutBack([folder(".git"), file("a/.env"), file(".env")], 4)).toEqual(new Set());
  });

  it("mounts folders, large files and those near the root first, and counts their parents", () => {
    const packages = Array.from({ length: 2_000 }, (_, at) => [
      file(`packages/p${at}/.gitignore`),
      file(`packages/p${at}/package-lock.json`),
    ]).flat();
    const all = [
      folder(".git"),
      folder("deep/er/.github"),
      file(".env"),
      file("packages/p1999/yarn.lock", 5_000_000),
      { path: "CLAUDE.md", link: Buffer.from("x") },
      ...packages,
    ];
    const putBack = filesToPutBack(all);
    for (const path of [".git", "deep/er/.github", ".env", "packages/p1999/yarn.lock", "CLAUDE.md"])
      expect([path, putBack.has(path)]).toEqual([path, false]);
    const mounted = all.filter(({ path, link }) => link === null && !putBack.has(path));
    expect(mounted.length + foldersAbove(mounted).length).toBeLessThanOrEqual(400);
    expect(putBack.size).toBeGreaterThan(3_500);
  });
});
