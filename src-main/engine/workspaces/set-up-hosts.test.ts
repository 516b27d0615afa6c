import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { defaultConfig } from "../../config/settings.ts";
import { createSandbox } from "../../tools/sandbox/sandbox.ts";
import { type PackageRegistry, startPackageRegistry } from "../testing/package-registry.ts";
import { setUpFolder } from "./set-up-workspace.ts";

let folder: string | null = null;
let registry: PackageRegistry | null = null;
afterEach(async () => {
  await registry?.close();
  if (folder !== null) await rm(folder, { recursive: true });
});

const asks =
  'node -e \'require("http").get({ port: 3128, path: "http://registry.hox.example/tiny-pad", headers: { host: "registry.hox.example" } }, (answer) => process.exit(answer.statusCode === 200 ? 0 : 1)).on("error", () => process.exit(2))\'';

test("set-up commands reach the hosts that are listed for them, and agents' commands do not", async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "hox-set-up-")));
  registry = await startPackageRegistry({ "tiny-pad@1.0.0": {} });
  const sandbox = await createSandbox({ allowUnsandboxed: false, network: registry.network });
  const workspace = folder;
  const setUp = async (setupHosts: readonly string[]) => {
    const failures: string[] = [];
    await setUpFolder({
      config: {
        ...defaultConfig,
        workspace: { ...defaultConfig.workspace, caches: [], setup: [asks], setupHosts },
      },
      root: workspace,
      folder: workspace,
      stateFolder: null,
      sandbox: async () => sandbox,
      environment: {},
      signal: new AbortController().signal,
      show: () => undefined,
      failed: (_, detail) => failures.push(detail.trim()),
    });
    return failures;
  };
  expect(await setUp(["registry.hox.example"])).toEqual([]);
  expect(await setUp(["other.hox.example"])).toEqual([
    expect.stringContaining(
      'The user can add "registry.hox.example" to setup_hosts in [workspace] of .hox/config.toml.',
    ),
  ]);
  expect(await setUp([])).toEqual([expect.stringContaining("exit code 2")]);
  const command = { command: asks, workspace, environment: {}, timeoutMs: 20_000 };
  expect(await sandbox.run({ ...command, signal: new AbortController().signal })).toMatchObject({
    exitCode: 2,
  });
});
