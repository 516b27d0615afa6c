import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { execa } from "execa";
import { toolPath } from "../src-main/config/tools.ts";
import { leasePorts } from "../src-main/engine/workspaces/port-leases.ts";
import { copyCaches } from "../src-main/engine/workspaces/workspace-caches.ts";
import { createTestRepository, type TestRepository } from "../src-main/jj/testing/create-test-repository.ts";
import { folderSize } from "../src-main/tools/copy-folder.ts";
import { type Bench, percentile, row } from "./row.ts";

const workspaces = 32;
const files = 5000;
const packages = 2000;

async function writePackages(root: string): Promise<void> {
  for (let at = 0; at < packages; at++) {
    const home = join(root, "node_modules", `package-${at % 100}`);
    if (at < 100) await mkdir(home, { recursive: true });
    await writeFile(join(home, `${at}.js`), `module.exports = ${at};\n`.repeat(50));
  }
}

/** Milliseconds of jj alone, in a terminal, for one workspace. */
async function bareWorkspace(
  { repository, folder, terminal }: TestRepository,
  changes: readonly string[],
): Promise<number> {
  const times: number[] = [];
  for (const [at, change] of changes.slice(0, 3).entries()) {
    const begun = performance.now();
    const place = join(folder, `bare-${at}`);
    const args = ["workspace", "add", "--no-colocate", "--name", `bare-${at}`, "-r", change, place];
    await execa(toolPath("jj"), args, { cwd: repository.root });
    await execa(toolPath("jj"), ["edit", "-r", change], { cwd: place });
    times.push(performance.now() - begun);
    await terminal(["workspace", "forget", `bare-${at}`]);
  }
  return percentile(times, 50);
}

/** How late the event loop of an idle process is (ms, p99): on a machine that others keep busy it is late, too. */
async function idleDelay(): Promise<number> {
  const idle = monitorEventLoopDelay({ resolution: 5 });
  idle.enable();
  await pause(5_000);
  idle.disable();
  return idle.percentile(99) / 1e6;
}

/**
 * Everything that 32 agents ask for when they begin at once: a workspace each, ports, a copy of the packages, and the
 * size of it all. Compared with jj alone, in a terminal, for the same number of workspaces.
 */
const bench: Bench = {
  name: "workspaces",
  async *run() {
    const repo = await createTestRepository({
      files: {
        ".gitignore": "node_modules/\n",
        ...Object.fromEntries(
          Array.from({ length: files }, (_, at) => [`src/${at % 50}/${at}.txt`, `line ${at}\n`.repeat(20)]),
        ),
      },
    });
    const { repository, folder } = repo;
    try {
      await writePackages(repository.root);
      const changes: string[] = [];
      for (let at = 0; at < workspaces; at++)
        changes.push((await repository.newChange({ parents: ["@-"], description: `Task ${at}\n` })).changeId);
      const alone = (await bareWorkspace(repo, changes)) * workspaces;

      const { signal } = new AbortController();
      const idleMs = await idleDelay();
      const delay = monitorEventLoopDelay({ resolution: 5 });
      delay.enable();
      const begun = performance.now();
      await Promise.all(
        changes.map(async (change, at) => {
          const place = join(folder, `agent-${at}`);
          await repository.addWorkspace({ name: `agent-${at}`, folder: place, change, edit: true });
          await leasePorts(join(folder, "ports.sqlite"), place, { first: 42_000, count: 10 });
          await copyCaches({
            root: repository.root,
            workspace: place,
            caches: ["node_modules"],
            signal,
            show: () => undefined,
          });
          await folderSize(place, signal);
        }),
      );
      const took = performance.now() - begun;
      delay.disable();
      yield* [
        row({
          name: `${workspaces} workspaces of ${files} files, with ports and ${packages} files of packages each`,
          value: took / 1000,
          unit: "s",
          reference: alone / 1000,
          hold: "≤ 2 × jj alone",
          ok: took <= alone * 2,
        }),
        row({
          name: `event-loop delay while ${workspaces} workspaces are made, p99`,
          value: delay.percentile(99) / 1e6,
          unit: "ms",
          reference: idleMs,
          hold: "≤ 20 ms, or 2 × an idle process",
          ok: delay.percentile(99) / 1e6 <= Math.max(20, 2 * idleMs),
        }),
      ];
    } finally {
      await repo.remove();
    }
  },
};
export default bench;
