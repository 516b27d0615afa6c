import { describe, expect, it } from "vitest";
import { protectedReason } from "#shared/domain/files/protected-files.ts";
import { protection } from "./protected-files.ts";

describe("protection", () => {
  const list = [".env", "package-lock.json", "docs/plan.md"];

  it("protects configured paths, each with all below it", () => {
    const claimed = ["!CLAUDE.md", "!.github", "*", "a.txt", "src/[id].ts", "src/*.ts"];
    const guard = protection(list, { claimed });
    for (const path of [...claimed, "a.txt/below", "*/x"])
      expect([path, guard.covers(path)]).not.toEqual([path, null]);
    // None of them lifts anything, or fits another path.
    for (const path of ["CLAUDE.md", "x/CLAUDE.md", ".github/workflows/ci.yml", ".env", "docs/plan.md"])
      expect([path, guard.covers(path)]).not.toEqual([path, null]);
    for (const path of ["b.txt", "sub/a.txt", "src/i.ts", "src/a.ts", "A.txt"])
      expect([path, guard.covers(path)]).toEqual([path, null]);
  });

  it("opens writable paths only, and never those of jj, Git or Hox", () => {
    const guard = protection(list, {
      writable: ["package-lock.json", ".git/config", ".GIT/config", ".hox/config.toml"],
    });
    expect(guard.covers("package-lock.json")).toBeNull();
    for (const path of [
      "api/package-lock.json",
      "package-lock.json/.npmrc",
      ".git/config",
      ".GIT/config",
      ".hox/config.toml",
    ])
      expect([path, guard.covers(path)]).not.toEqual([path, null]);
  });

  it("finds what affects agents, editors, pipelines, hooks, shells and package managers, anywhere", () => {
    const guard = protection([]);
    for (const path of [
      "CLAUDE.local.md",
      ".forgejo/workflows/ci.yml",
      ".travis.yml",
      "azure-pipelines.yml",
      ".drone.yml",
      ".woodpecker.yml",
      ".buildkite/pipeline.yml",
      "lefthook.yml",
      ".lefthook.yaml",
      ".githooks/pre-commit",
      ".yarn/releases/yarn-4.cjs",
      ".idea/workspace.xml",
      "x.code-workspace",
      ".clinerules",
      ".kiro/steering/a.md",
      ".opencode/a.md",
      ".lfsconfig",
      "rust-toolchain.toml",
    ])
      for (const at of [path, `packages/app/${path}`, path.toUpperCase()])
        expect([at, guard.covers(at) !== null, protectedReason(at)]).toEqual([
          at,
          true,
          "it controls later agents, shells, editors or builds",
        ]);
    for (const path of [
      ".yarn/cache/x.zip",
      ".yarn",
      "releases/a",
      "docs/renovate.md",
      "lefthook.md",
      "agents/a.md",
    ])
      expect([path, guard.covers(path)]).toEqual([path, null]);
    expect(protection(["!.idea"]).covers(".idea/x")).toBeNull();
  });
});
