import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { tempDir } from "../testing/kit.ts";
import { inspectParts, isAtLeast, type PartReport } from "./doctor.ts";

let folder: string;
beforeEach(() => {
  folder = tempDir();
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

const parts = async (options: Parameters<typeof inspectParts>[0] = {}): Promise<Record<string, PartReport>> =>
  Object.fromEntries((await inspectParts(options)).map((each) => [each.part, each]));

/** A program that answers every question alike. */
function program(variable: string, script: string): string {
  const path = join(folder, variable);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  vi.stubEnv(variable, path);
  return path;
}

it("finds the installed programs", async () => {
  const { node, git, jj } = await parts();
  expect(node).toMatchObject({ found: true, version: process.versions.node });
  expect(git).toMatchObject({ found: true, version: expect.stringMatching(/^\d+\.\d+/) });
  expect(jj).toMatchObject({ found: true, version: expect.stringMatching(/^0\.\d+\.\d+/), note: null });
});

it("reports what does not work with an old git and an old jj", async () => {
  program("HOX_GIT", "echo git version 2.33.8");
  program("HOX_JJ", "echo jj 0.40.0-abc");
  const { git, jj } = await parts();
  expect(git).toMatchObject({
    found: true,
    version: "2.33.8",
    note: expect.stringMatching(/2\.34.*colocated.*push/),
  });
  expect(jj).toMatchObject({ found: true, version: "0.40.0", note: expect.stringMatching(/0\.44.*radar/) });
  for (const each of [git, jj]) expect(each?.remedy).toMatch(/Install/);
  // What the environment names would hide a fetched one.
  expect(jj?.canFetch).toBe(false);
  // With this one only jj's own fetch does not.
  program("HOX_GIT", "echo git version 2.34.1");
  expect((await parts()).git).toMatchObject({
    note: expect.stringMatching(/2\.42, so jj git fetch/),
    remedy: null,
  });
});

it("offers to download jj when the installed one is too old, and no other program", async () => {
  vi.stubEnv("HOX_JJ", "");
  vi.stubEnv("XDG_CACHE_HOME", join(folder, "cache"));
  vi.stubEnv("PATH", `${folder}:${process.env.PATH}`);
  writeFileSync(join(folder, "jj"), "#!/bin/sh\necho jj 0.40.0\n", { mode: 0o755 });
  const { jj, git, node, sandbox } = await parts();
  expect(jj).toMatchObject({
    found: true,
    canFetch: true,
    remedy: expect.stringContaining("Let Hox download"),
  });
  for (const each of [git, node, sandbox]) expect(each?.canFetch).toBe(false);
});

it("says where a program comes from when that may be surprising", async () => {
  program("HOX_GIT", "echo git version 2.47.0");
  expect((await parts()).git).toMatchObject({ found: true, note: "set by HOX_GIT" });
  vi.stubEnv("HOX_JJ", "");
  vi.stubEnv("XDG_CACHE_HOME", join(folder, "cache"));
  vi.stubEnv("PATH", join(folder, "nothing"));
  for (const home of ["HOME", "USERPROFILE"]) vi.stubEnv(home, folder);
  mkdirSync(join(folder, "jj"));
  const bundled = join(folder, "jj", process.platform === "win32" ? "jj.exe" : "jj");
  writeFileSync(bundled, "#!/bin/sh\necho jj 0.45.1\n", { mode: 0o755 });
  vi.stubGlobal("process", Object.assign(Object.create(process), { resourcesPath: folder }));
  const { jj } = await parts();
  expect(jj).toMatchObject({ found: true, path: bundled, note: "included with Hox", remedy: null });
});

it("tells a program that does not start from a missing one, each with a remedy", async () => {
  program("HOX_GIT", "echo no such library >&2; exit 127");
  vi.stubEnv("HOX_JJ", join(folder, "nothing"));
  program("HOX_BROWSER", "exit 1");
  const { git, jj, browser } = await parts({ platform: "linux" });
  expect(git).toMatchObject({ found: false, note: expect.stringContaining("no such library") });
  expect(jj).toMatchObject({ found: false, remedy: expect.stringContaining("HOX_JJ") });
  expect(browser).toMatchObject({ found: false, note: expect.stringContaining("does not start") });
  for (const each of [git, jj, browser]) expect(each?.remedy).toBeTruthy();
});

it("does not accept a sandbox that confines nothing", async () => {
  program(
    "HOX_SANDBOX",
    '[ "$1" = --version ] && echo bubblewrap 0.8.0 && exit; echo no permission >&2; exit 1',
  );
  const { sandbox } = await parts({ platform: "linux" });
  expect(sandbox).toMatchObject({
    found: false,
    version: "0.8.0",
    note: expect.stringContaining("no permission"),
  });
});

it("says whether there is a key and never which", async () => {
  const secret = "sk-ant-0123456789";
  expect((await parts({ env: {} }))["API key"]).toMatchObject({
    found: false,
    remedy: expect.stringContaining("ANTHROPIC_API_KEY"),
  });
  const all = await inspectParts({ env: { ANTHROPIC_API_KEY: secret } });
  expect(all.find(({ part }) => part === "API key")).toMatchObject({ found: true });
  expect(JSON.stringify(all)).not.toContain(secret);
  expect((await parts({ env: {}, apiKey: "keychain" }))["API key"]).toMatchObject({ found: true });
});

it("compares versions as numbers", () => {
  expect(isAtLeast("2.42", "2.42")).toBe(true);
  expect(isAtLeast("2.100.1", "2.42")).toBe(true);
  expect(isAtLeast("2.9", "2.42")).toBe(false);
  expect(isAtLeast("3", "2.42")).toBe(true);
});
