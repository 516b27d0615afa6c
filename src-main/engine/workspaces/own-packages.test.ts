import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { toolPath } from "../../config/tools.ts";
import { tempDir } from "../../testing/kit.ts";
import { addWorkspaceLayer, canLayer } from "../../tools/sandbox/layers.ts";
import { createSandbox } from "../../tools/sandbox/sandbox.ts";
import { makeHome } from "../../tools/sandbox/workspace-home.ts";
import { ownPackages } from "./local-checkout.ts";

let folder: string;
let workspace: string;

beforeEach(async () => {
  folder = tempDir();
  workspace = join(folder, "run/agent-1");
  mkdirSync(join(workspace, ".jj"), { recursive: true });
  await makeHome(workspace);
});

const put = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
const { signal } = new AbortController();

async function run(command: string): Promise<string> {
  const sandbox = await createSandbox({ allowUnsandboxed: false });
  const { output } = await sandbox.run({ command, workspace, environment: {}, timeoutMs: 20_000, signal });
  return output;
}

const isLayered = process.platform === "linux" && (await canLayer(tmpdir(), toolPath("sandbox")));

test.runIf(isLayered)("shared packages become own copies when the user works in a workspace", async () => {
  const lower = join(folder, "shared/node_modules-1");
  for (const name of ["kept", "changed", "gone"]) put(join(lower, name, "index.js"), name);
  put(join(lower, ".gitignore"), "*\n");
  const packages = join(workspace, "node_modules");
  mkdirSync(packages);
  await addWorkspaceLayer(workspace, { lower, destination: "node_modules" });
  await run(
    "cd node_modules; echo new > changed/index.js; rm -r gone; mkdir gone added; ln -s ../kept added/link",
  );

  const shown: string[] = [];
  const show = (name: string): number => shown.push(name);
  await ownPackages(workspace, { signal, show });
  expect(readdirSync(packages).sort()).toEqual([".gitignore", "added", "changed", "gone", "kept"]);
  expect(readFileSync(join(packages, "added/link/index.js"), "utf8")).toBe("kept");
  expect(readFileSync(join(packages, "changed/index.js"), "utf8")).toBe("new\n");
  expect(readdirSync(join(packages, "gone"))).toEqual([]);

  // Commands see the same, and what the user installs; what others share is as it was.
  put(join(packages, "mine/index.js"), "mine");
  expect(await run("cat node_modules/*/index.js")).toBe("new\nkeptmine");
  expect(readFileSync(join(lower, "changed/index.js"), "utf8")).toBe("changed");
  await ownPackages(workspace, { signal, show });
  expect(shown).toEqual(["node_modules"]);
});
