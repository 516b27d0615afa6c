import { mkdir, mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { defaultConfig } from "../src-main/config/settings.ts";
import { bringPackages } from "../src-main/engine/workspaces/set-up-workspace.ts";
import { createSandbox } from "../src-main/tools/sandbox/sandbox.ts";
import { makeHome } from "../src-main/tools/sandbox/workspace-home.ts";
import { type Bench, row } from "./row.ts";

const agents = 16;
const files = 10_000;
const bytesPerFile = 100_000;

/** Bytes of the file system that are taken, once everything is written. */
async function taken(folder: string): Promise<number> {
  await execa("sync", ["-f", folder]);
  const { blocks, bfree, bsize } = await statfs(folder);
  return (blocks - bfree) * bsize;
}

/**
 * What the packages of a repository cost on disk when many agents work, each of which changes some of them: shared
 * blocks where the file system can, layers above one copy where the system can, else whole copies.
 */
const bench: Bench = {
  name: "packages",
  async *run() {
    const folder = await mkdtemp(join(process.env.HOX_BENCH_FOLDER ?? tmpdir(), "hox-packages-"));
    try {
      const root = join(folder, "repository");
      const content = Buffer.alloc(bytesPerFile);
      await mkdir(root);
      await writeFile(join(root, "package.json"), "{}\n");
      const before = await taken(folder);
      for (let at = 0; at < files; at++) {
        const path = join(root, "node_modules", `package-${at % 500}`, `${at}.js`);
        if (at < 500) await mkdir(dirname(path), { recursive: true });
        // No two alike, so that no file system keeps one for all.
        content.fill(`${at} `);
        await writeFile(path, content);
      }
      const own = (await taken(folder)) - before;
      const config = defaultConfig;
      const sandbox = await createSandbox({ allowUnsandboxed: false, repository: root });
      const { signal } = new AbortController();
      const begun = performance.now();
      const problems: string[] = [];
      for (let at = 1; at <= agents; at++) {
        const workspace = join(folder, "state/workspaces/run", `agent-${at}`);
        await mkdir(join(workspace, ".jj"), { recursive: true });
        await writeFile(join(workspace, "package.json"), "{}\n");
        await makeHome(workspace);
        await bringPackages({
          ...{ config, root, folder: workspace, stateFolder: join(folder, "state"), signal },
          sandbox: async () => sandbox,
          show: () => undefined,
          failed: (what, detail) => problems.push(`${what}: ${detail}`),
        });
        const { exitCode, output } = await sandbox.run({
          command: `cat node_modules/package-${at}/${at}.js > /dev/null && echo changed > node_modules/package-${at}/${at}.js`,
          workspace,
          environment: {},
          timeoutMs: 60_000,
          signal,
        });
        if (exitCode !== 0) problems.push(output);
      }
      if (problems.length > 0) throw new Error(problems.join("\n"));
      const took = (performance.now() - begun) / 1000;
      const all = (await taken(folder)) - before;
      yield* [
        row({
          name: `disk of ${agents} agents and the repository, with ${Math.round((files * bytesPerFile) / 1e6)} MB of packages`,
          value: all / 1e6,
          unit: "MB",
          reference: own / 1e6,
          hold: "≤ 3 × the repository's own",
          ok: all <= 3 * own,
        }),
        row({
          name: `bringing them to ${agents} workspaces, and a command in each`,
          value: took,
          unit: "s",
          hold: "shown",
          ok: true,
        }),
      ];
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
export default bench;
