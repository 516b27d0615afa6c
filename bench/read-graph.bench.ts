import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { toolPath } from "../src-main/config/tools.ts";
import { openRepository } from "../src-main/jj/open.ts";
import { pinned } from "../src-main/jj/read/read-access.ts";
import { rowTemplate } from "../src-main/jj/read/row-template.ts";
import { generateRepository } from "../src-main/jj/testing/generate-repository.ts";
import { type Bench, percentile, row } from "./row.ts";

const changes = 10_000;
const rounds = 7;

/** Two things in turn, so that a machine whose speed drifts treats both alike. */
async function inTurn(
  a: () => Promise<unknown>,
  b: () => Promise<unknown>,
): Promise<readonly [number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round++)
    for (const [at, work] of [a, b].entries()) {
      const start = performance.now();
      await work();
      if (round > 0) times[at]?.push(performance.now() - start);
    }
  return [percentile(times[0], 50), percentile(times[1], 50)];
}

/** What reading a repository costs beside the bare command that any viewer needs. */
const bench: Bench = {
  name: "read-graph",
  async *run() {
    const folder = await mkdtemp(join(tmpdir(), "hox-bench-"));
    const config = join(folder, "config.toml");
    await writeFile(config, '[user]\nname = "Bench"\nemail = "bench@example.org"\n');
    process.env.JJ_CONFIG = config;
    try {
      await generateRepository(join(folder, "repo"), { changes });
      const repository = await openRepository(join(folder, "repo"));
      const before = await repository.readGraph();
      const args = [
        ...pinned(repository.root, before.operation),
        "log",
        "--no-graph",
        "-r",
        "all()",
        "-T",
        rowTemplate(),
      ];
      const [bare, whole] = await inTurn(
        () => execa(toolPath("jj"), args, { encoding: "buffer" }),
        () => repository.readGraph(),
      );
      yield row({
        name: "read 10,000 changes",
        value: whole,
        unit: "ms",
        reference: bare,
        hold: "≤ 1.2 × jj log",
        ok: whole <= bare * 1.2,
      });
      const { operation } = await repository.describe("lane-3", "Told anew\n");
      const bareDelta = [
        ...pinned(repository.root, operation),
        "log",
        "--no-graph",
        "-r",
        "@",
        "-T",
        "commit_id",
      ];
      const [smallest, delta] = await inTurn(
        () => execa(toolPath("jj"), bareDelta, { encoding: "buffer" }),
        () => repository.readDelta(before.operation, operation),
      );
      await repository.close();
      yield row({
        name: "read one operation's delta in 10,000",
        value: delta,
        unit: "ms",
        reference: smallest,
        hold: "≤ 4 × the shortest jj log",
        ok: delta <= smallest * 4,
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

export default bench;
