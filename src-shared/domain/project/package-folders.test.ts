import { describe, expect, test } from "vitest";
import { cachePaths, packageFolders } from "./find-project.ts";

const json = JSON.stringify;

describe("packages are installed", () => {
  test("in the root, next to every manifest and in every member", () => {
    const files = {
      "package.json": json({ workspaces: ["packages/*/*"] }),
      "packages/ui/button/package.json": "{}",
      "backend/pyproject.toml": "",
      "examples/app/package.json": "{}",
      "docs/a.md": "",
    };
    const folders = packageFolders({
      paths: Object.keys(files),
      texts: new Map(Object.entries(files)),
    });
    expect(folders).toEqual(["", "backend", "packages/ui/button"]);
    expect(cachePaths(["node_modules", ".venv", "lib/cache"], folders)).toEqual([
      "node_modules",
      ".venv",
      "lib/cache",
      "backend/node_modules",
      "backend/.venv",
      "packages/ui/button/node_modules",
      "packages/ui/button/.venv",
    ]);
  });
});
