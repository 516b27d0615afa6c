import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { copyCaches } from "./workspace-caches.ts";

let folder: string;
let root: string;
let workspace: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "hox-caches-")));
  root = join(folder, "repo");
  workspace = join(folder, "agent-1");
  mkdirSync(join(root, "node_modules", "pad", "bin"), { recursive: true });
  writeFileSync(join(root, "node_modules", "pad", "index.js"), "pad");
  symlinkSync("../index.js", join(root, "node_modules", "pad", "bin", "pad"));
  mkdirSync(workspace);
});
afterEach(() => rmSync(folder, { recursive: true }));

const copy = (caches: readonly string[], signal = new AbortController().signal) =>
  copyCaches({ root, workspace, caches, signal, show: () => {} });

test("a copy is whole, keeps out of commits, and shares no file with the original", async () => {
  expect(await copy(["node_modules", ".venv"])).toEqual(["node_modules"]);
  const [original, copied] = [root, workspace].map((at) => join(at, "node_modules", "pad", "index.js"));
  expect(readFileSync(join(workspace, "node_modules/pad/bin/pad"), "utf8")).toBe("pad");
  expect(readFileSync(join(workspace, "node_modules/.gitignore"), "utf8")).toBe("*\n");
  expect(existsSync(join(root, "node_modules/.gitignore"))).toBe(false);
  expect(statSync(copied ?? "").ino).not.toBe(statSync(original ?? "").ino);
  expect(statSync(copied ?? "").mtimeMs).toBe(statSync(original ?? "").mtimeMs);
  writeFileSync(copied ?? "", "changed by an agent");
  expect(readFileSync(original ?? "", "utf8")).toBe("pad");
  // What is there stays as it is: the commit's own folder, or the agent's work.
  expect(await copy(["node_modules"])).toEqual([]);
  expect(readFileSync(copied ?? "", "utf8")).toBe("changed by an agent");
});

test("no link is followed, neither in the repository nor in the workspace", async () => {
  const secret = join(folder, "secret");
  mkdirSync(join(secret, "node_modules"), { recursive: true });
  writeFileSync(join(secret, "node_modules", "key"), "canary");
  symlinkSync(secret, join(root, ".venv"));
  symlinkSync(secret, join(root, "packages"));
  mkdirSync(join(workspace, "packages"));
  expect(await copy([".venv", "packages/node_modules"])).toEqual([]);
  rmSync(join(root, "packages"));
  rmSync(join(workspace, "packages"), { recursive: true });
  mkdirSync(join(root, "packages", "build"), { recursive: true });
  symlinkSync(secret, join(workspace, "packages"));
  expect(await copy(["packages/build"])).toEqual([]);
  expect(existsSync(join(secret, "build"))).toBe(false);
});

test("an abort leaves nothing half copied", async () => {
  const gone = new AbortController();
  const copying = copyCaches({
    root,
    workspace,
    caches: ["node_modules"],
    signal: gone.signal,
    show: () => gone.abort(),
  });
  await expect(copying).rejects.toThrow();
  expect(existsSync(join(workspace, "node_modules"))).toBe(false);
  expect(existsSync(`${workspace}.copy`)).toBe(false);
});
