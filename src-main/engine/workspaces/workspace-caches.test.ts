import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { tempDir } from "../../testing/kit.ts";
import { workspaceLayers } from "../../tools/sandbox/layers.ts";
import { removeWorkspaceData } from "../../tools/sandbox/workspace-home.ts";
import { removeUnusedCopies, sharedCopiesFolder } from "./shared-copies.ts";
import { copyCaches } from "./workspace-caches.ts";

let folder: string;
let root: string;
let workspace: string;
beforeEach(() => {
  folder = tempDir();
  root = join(folder, "repo");
  workspace = join(folder, "agent-1");
  mkdirSync(join(root, "node_modules", "pad", "bin"), { recursive: true });
  writeFileSync(join(root, "node_modules", "pad", "index.js"), "pad");
  symlinkSync("../index.js", join(root, "node_modules", "pad", "bin", "pad"));
  mkdirSync(workspace);
});

const copy = (caches: readonly string[], signal = new AbortController().signal) =>
  copyCaches({ root, workspace, caches, signal, show: () => {} });

test("a copy is complete, is never committed, and shares no file with the original", async () => {
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

test("an abort leaves no partial copy", async () => {
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

test("a large folder is copied once for all workspaces, again when its packages change, and removed with the last", async () => {
  const state = join(folder, "state");
  const shared = sharedCopiesFolder(state);
  const set = async (name: string) => {
    const at = join(state, "workspaces", "run", name);
    mkdirSync(at, { recursive: true });
    await copyCaches({
      root,
      workspace: at,
      caches: ["node_modules"],
      signal: new AbortController().signal,
      shared,
      shareAbove: 1,
      show: () => {},
    });
    return { at, layers: workspaceLayers(at) };
  };
  const [one, two] = await Promise.all([set("agent-1"), set("agent-2")]);
  expect(one.layers).toEqual([{ lower: expect.stringContaining(shared), destination: "node_modules" }]);
  expect(two.layers).toEqual(one.layers);
  expect(readdirSync(shared)).toHaveLength(1);
  expect(readdirSync(join(one.at, "node_modules"))).toEqual([]);
  expect(readFileSync(join(one.layers[0]?.lower ?? "", ".gitignore"), "utf8")).toBe("*\n");

  writeFileSync(join(root, "node_modules", ".package-lock.json"), "{}");
  const three = await set("agent-3");
  expect(three.layers).not.toEqual(one.layers);
  await removeWorkspaceData(one.at);
  await removeUnusedCopies(state);
  expect(readdirSync(shared)).toHaveLength(2);
  await removeWorkspaceData(two.at);
  await removeUnusedCopies(state);
  expect(readdirSync(shared)).toEqual([basename(three.layers[0]?.lower ?? "")]);
});
