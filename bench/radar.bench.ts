import { execa } from "execa";
import { toolPath } from "../src-main/config/tools.ts";
import { pinned } from "../src-main/jj/read/read-access.ts";
import { createTestRepository } from "../src-main/jj/testing/create-test-repository.ts";
import { type Bench, percentile, row } from "./row.ts";

const heads = 16;
const files = 1000;
const rounds = 9;

const text = (own: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 60 }, (_, line) => `${own[line] ?? `line ${line}`}\n`).join("");

async function timed(work: () => Promise<unknown>): Promise<number> {
  const samples: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const begun = performance.now();
    await work();
    if (round > 0) samples.push(performance.now() - begun);
  }
  return percentile(samples, 50);
}

/** What one look of the conflict radar costs, shared by all agents of a run. */
const bench: Bench = {
  name: "radar",
  async *run() {
    const repo = await createTestRepository({
      files: {
        "CHANGELOG.md": text(),
        ...Object.fromEntries(Array.from({ length: files }, (_, at) => [`src/${at % 40}/${at}.txt`, text()])),
      },
    });
    const { repository } = repo;
    const task = async (own: Readonly<Record<string, string>>): Promise<string> =>
      (await repository.newChange({ parents: ["@-"], description: "A task\n", files: own })).changeId;
    try {
      const apart: string[] = [];
      const together: string[] = [];
      for (let at = 0; at < heads; at++) {
        const own = { [`src/${at}/${at}.txt`]: text({ 7: `task ${at}` }) };
        apart.push(await task(own));
        together.push(await task({ ...own, "CHANGELOG.md": text({ 3: `task ${at}` }) }));
      }
      const args = [
        ...pinned(repository.root, await repository.currentOperation()),
        ...["log", "--no-graph", "-r", "visible_heads()", "-T", 'commit_id ++ "\\n"'],
      ];
      const bare = await timed(() => execa(toolPath("jj"), args));
      const measured = async (changes: readonly string[]) => {
        const before = repository.processCount();
        const ms = await timed(() => repository.trialMerge(changes));
        return { ms, processes: (repository.processCount() - before) / (rounds + 1) };
      };
      const calm = await measured(apart);
      const colliding = await measured(together);
      yield* [
        row({
          name: `radar over ${heads} live heads`,
          value: calm.ms,
          unit: "ms",
          reference: bare,
          hold: "≤ 10 × jj log",
          ok: calm.ms <= bare * 10,
        }),
        row({
          name: `radar over ${heads} live heads that all collide`,
          value: colliding.ms,
          unit: "ms",
          reference: bare,
          hold: "≤ 10 × jj log",
          ok: colliding.ms <= bare * 10,
        }),
        row({
          name: "jj processes of one look of the radar, for all agents together",
          value: calm.processes,
          unit: "processes",
          reference: 1,
          hold: "≤ 2; 3 when agents collide",
          ok: calm.processes <= 2 && colliding.processes <= 3,
        }),
      ];
    } finally {
      await repo.remove();
    }
  },
};
export default bench;
