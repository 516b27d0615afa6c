import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { defaultConfig } from "../../config/settings.ts";
import { toolPath } from "../../config/tools.ts";
import { tempDir } from "../../testing/kit.ts";
import { canLayer, workspaceLayers } from "../../tools/sandbox/layers.ts";
import { createSandbox } from "../../tools/sandbox/sandbox.ts";
import { makeHome } from "../../tools/sandbox/workspace-home.ts";
import type { Sandbox } from "../../tools/tool-interface.ts";
import { workspaceFiles } from "../../tools/workspace-files.ts";
import { ownPackages } from "./local-checkout.ts";
import { bringPackages } from "./set-up-workspace.ts";
import { sharedCopiesFolder } from "./shared-copies.ts";
import { copyCaches, type WholeCopy } from "./workspace-caches.ts";

let folder: string;
let root: string;
let workspace: string;
beforeEach(async () => {
  sandbox = null;
  folder = tempDir();
  root = join(folder, "repo");
  workspace = join(folder, "state/workspaces/run/agent-1");
  mkdirSync(root);
  mkdirSync(join(workspace, ".jj"), { recursive: true });
  await makeHome(workspace);
});

const put = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
/** A file of the commit: in the user's folder and in the workspace. */
const commit = (path: string, text: string): void => {
  for (const at of [root, workspace]) put(join(at, path), text);
};
const { signal } = new AbortController();

async function bring(): Promise<readonly string[]> {
  const shown: string[] = [];
  await bringPackages({
    config: defaultConfig,
    root,
    folder: workspace,
    stateFolder: null,
    sandbox: sandboxOf,
    signal,
    show: (activity) => shown.push(activity.replace("setting up: copying ", "")),
    failed: (what, detail) => {
      throw new Error(`${what}: ${detail}`);
    },
  });
  return shown;
}

let sandbox: Promise<Sandbox> | null = null;
const sandboxOf = (): Promise<Sandbox> => {
  sandbox ??= createSandbox({ allowUnsandboxed: false, repository: root });
  return sandbox;
};

async function run(command: string, inFolder?: string): Promise<string> {
  const { output } = await (await sandboxOf()).run({
    command,
    workspace,
    ...(inFolder === undefined ? {} : { folder: inFolder }),
    environment: {},
    timeoutMs: 20_000,
    signal,
  });
  return output.trim();
}

test("packages of folders with a separate manifest are copied, and no link is followed", async () => {
  commit("frontend/package.json", "{}");
  commit("backend/pyproject.toml", "");
  commit("led/package.json", "{}");
  commit("plain/readme.md", "");
  put(join(root, "frontend/node_modules/pad/index.js"), "pad");
  put(join(root, "plain/node_modules/pad/index.js"), "nobody's");
  put(join(folder, "secret/node_modules/key"), "canary");
  rmSync(join(root, "led"), { recursive: true });
  symlinkSync(join(folder, "secret"), join(root, "led"));
  const python = join(root, "backend/.venv/bin/tool");
  put(join(root, "backend/.venv/pyvenv.cfg"), "home = /usr/bin\n");
  put(python, `#!/bin/sh\necho ran "$0"\n`);
  chmodSync(python, 0o755);

  expect(await bring()).toEqual(["backend/.venv", "frontend/node_modules"]);
  expect(readFileSync(join(workspace, "frontend/node_modules/pad/index.js"), "utf8")).toBe("pad");
  expect(readFileSync(join(workspace, "frontend/node_modules/.gitignore"), "utf8")).toBe("*\n");
  expect(existsSync(join(workspace, "plain/node_modules"))).toBe(false);
  expect(existsSync(join(workspace, "led/node_modules"))).toBe(false);

  // The environment of the folder in which something runs is the one in force, at the place that its files name.
  const output = `ran ${root}/backend/.venv/bin/tool\n${root}/backend/.venv`;
  if (process.platform !== "linux") return;
  expect(await run('cd backend && tool && echo "$VIRTUAL_ENV"')).toBe(output);
  expect(await run('tool && echo "$VIRTUAL_ENV"', "backend")).toBe(output);
  expect(await run('echo "$VIRTUAL_ENV"')).toBe("");
});

test("pnpm's links between members' packages have the same targets in a copy", async () => {
  commit("package.json", '{"private":true}');
  commit("pnpm-workspace.yaml", "packages:\n  - 'packages/*'\n  - 'apps/*/*'\n");
  commit("packages/a/package.json", "{}");
  commit("packages/b/package.json", "{}");
  commit("apps/web/site/package.json", "{}");
  put(join(root, "node_modules/.pnpm/pad@1/node_modules/pad/index.js"), "pad");
  const links: Readonly<Record<string, string>> = {
    "packages/a/node_modules/pad": "../../../node_modules/.pnpm/pad@1/node_modules/pad",
    "packages/a/node_modules/b": "../../b",
    "apps/web/site/node_modules/pad": "../../../../node_modules/.pnpm/pad@1/node_modules/pad",
  };
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    symlinkSync(target, join(root, path));
  }
  expect(await bring()).toEqual(["node_modules", "apps/web/site/node_modules", "packages/a/node_modules"]);
  for (const [path, target] of Object.entries(links))
    expect(readlinkSync(join(workspace, path))).toBe(target);
  expect(readFileSync(join(workspace, "apps/web/site/node_modules/pad/index.js"), "utf8")).toBe("pad");
  expect(realpathSync(join(workspace, "packages/a/node_modules/b"))).toBe(join(workspace, "packages/b"));
});

const isLayered = process.platform === "linux" && (await canLayer(tmpdir(), toolPath("sandbox")));

test("a large folder that cannot be shared is copied completely, and reported with its size", async () => {
  commit("package.json", "{}");
  put(join(root, "node_modules/pad/index.js"), "p".repeat(5_000));
  const copies: WholeCopy[] = [];
  const onWholeCopy = (copy: WholeCopy): number => copies.push(copy);
  const options = { root, workspace, caches: ["node_modules"], signal, shareAbove: 4_000, show: () => {} };
  await copyCaches({ ...options, onWholeCopy });
  expect(copies).toMatchObject([{ name: "node_modules" }]);
  expect(copies[0]?.bytes).toBeGreaterThan(5_000);
});

test.runIf(isLayered)("a large folder of a member is shared like one of the root", async () => {
  commit("frontend/package.json", "{}");
  put(join(root, "frontend/node_modules/pad/index.js"), "pad");
  const shared = sharedCopiesFolder(join(folder, "state"));
  const share = () =>
    copyCaches({
      root,
      workspace,
      caches: ["frontend/node_modules"],
      signal,
      shared,
      shareAbove: 1,
      show: () => {},
    });
  expect(await share()).toEqual(["frontend/node_modules"]);
  expect(workspaceLayers(workspace)).toMatchObject([{ destination: "frontend/node_modules" }]);
  expect(await run("cd frontend && cat node_modules/pad/index.js; echo own > node_modules/own")).toBe("pad");

  // File tools read what is shared, also where a package of another member leads there.
  mkdirSync(join(workspace, "app/node_modules"), { recursive: true });
  symlinkSync("../../frontend/node_modules/pad", join(workspace, "app/node_modules/pad"));
  const files = workspaceFiles({ workspace });
  for (const path of ["frontend/node_modules/pad/index.js", "app/node_modules/pad/index.js"])
    expect(await files.readText(path)).toMatchObject({
      path: "frontend/node_modules/pad/index.js",
      text: "pad",
    });
  await expect(files.writeText("app/node_modules/pad/index.js", "mine")).rejects.toThrow("installed package");

  // Led elsewhere by an agent, it is mounted nowhere.
  expect(await run("mv frontend moved && mkdir other && ln -s other frontend")).toBe("");
  expect(await run("mkdir -p other/node_modules; ls -A frontend/node_modules moved/node_modules")).toBe(
    "frontend/node_modules:\n\nmoved/node_modules:",
  );
  expect(await run("rm frontend && mv moved frontend && ls -A frontend/node_modules")).toBe("");
  expect(await run("cat frontend/node_modules/own")).toBe("own");

  await ownPackages(workspace, { signal, show: () => {} });
  expect(readFileSync(join(workspace, "frontend/node_modules/pad/index.js"), "utf8")).toBe("pad");
  expect(readFileSync(join(workspace, "frontend/node_modules/own"), "utf8")).toBe("own\n");
});
