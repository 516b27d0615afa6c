import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { toolPath } from "../src-main/config/tools.ts";
import { comparedStores } from "../src-main/engine/run/compare-stores.ts";
import { openRepository } from "../src-main/jj/open.ts";
import { pinned } from "../src-main/jj/read/read-access.ts";
import { rowTemplate } from "../src-main/jj/read/row-template.ts";
import { generateRepository } from "../src-main/jj/testing/generate-repository.ts";
import { openJournal } from "../src-main/journal/journal.ts";
import { runInput } from "../src-main/journal/testing/run-input.ts";
import { type MeasuredWorker, notMeasured } from "../src-shared/domain/metrics/measured-worker.ts";
import { metricsTrailer } from "../src-shared/domain/metrics/metrics-trailer.ts";
import type { RunEvent } from "../src-shared/run/events.ts";
import { type Bench, percentile, row } from "./row.ts";

const [changes, firstChange, agentsPerRun, rounds] = [2_000, 101, 20, 5];
/** One of this number of changes has a wrong figure. */
const wrongEvery = 100;

const measured = (worker: string, at: number, failedCalls: number): MeasuredWorker => ({
  ...notMeasured(worker),
  toolCalls: { read_file: at % 17, run_command: at % 5 },
  failedCalls,
  msByPhase: { thinking: at * 13, tools: at * 7 },
});
const isWrong = (at: number): boolean => at % wrongEvery === 0;

/** Runs of twenty agents each, whose changes are those of the repository. */
function fillJournal(path: string, changeIds: readonly string[]) {
  const journal = openJournal(path, () => 1);
  journal.together(() => {
    for (let first = 0; first < changeIds.length; first += agentsPerRun) {
      const run = `run-${first / agentsPerRun + 1}`;
      journal.addRun(run, { ...runInput, goal: "Measure" });
      const add = (event: RunEvent): void => journal.addEvent(run, event);
      const own = changeIds.slice(first, first + agentsPerRun);
      for (const [nth, changeId] of own.entries()) {
        const worker = `agent-${nth + 1}`;
        const record = { name: worker, role: "agent" as const, parent: "O-A-1", title: "Task", changeId };
        add({ kind: "WorkerJoined", worker, record });
      }
      add({
        kind: "MetricsMeasured",
        metrics: own.map((_, nth) => measured(`agent-${nth + 1}`, first + nth, (first + nth) % 9)),
      });
      journal.setStage(run, "complete", true);
    }
  });
  return journal;
}

/** Whether two stores of figures agree, at a size that a repository reaches in a year, beside the bare `jj log` of them. */
const bench: Bench = {
  name: "stores",
  async *run() {
    const folder = await mkdtemp(join(tmpdir(), "hox-bench-"));
    const config = join(folder, "config.toml");
    await writeFile(config, '[user]\nname = "Bench"\nemail = "bench@example.org"\n');
    process.env.JJ_CONFIG = config;
    try {
      await generateRepository(join(folder, "repo"), {
        changes: firstChange + changes - 1,
        mutable: 0.96,
        tasks: 1,
        metrics(index) {
          const at = index - firstChange;
          if (at < 0) return null;
          return metricsTrailer(measured("", at, isWrong(at) ? 10 : at % 9), 0, null);
        },
      });
      const repository = await openRepository(join(folder, "repo"));
      const { operation } = await repository.readGraph();
      const found = await repository.query("description(regex:'(?m)^Hox-Metrics')");
      const numberOf = (subject: string): number => Number(/Change (\d+)/u.exec(subject)?.[1]);
      const changeIds = found
        .toSorted((a, b) => numberOf(a.description) - numberOf(b.description))
        .map(({ changeId }) => changeId);
      const journal = fillJournal(join(folder, "journal.sqlite"), changeIds);
      const args = [
        ...pinned(repository.root, operation),
        ...["log", "--no-graph", "-r", "description(regex:'(?m)^Hox-Metrics')", "-T", rowTemplate()],
      ];
      const times: [number[], number[]] = [[], []];
      let compared = await comparedStores(journal, repository, changes);
      for (let round = 0; round < rounds; round++) {
        let begun = performance.now();
        await execa(toolPath("jj"), args, { encoding: "buffer" });
        times[0].push(performance.now() - begun);
        begun = performance.now();
        compared = await comparedStores(journal, repository, changes);
        times[1].push(performance.now() - begun);
      }
      journal.close();
      await repository.close();
      const [bare, whole] = [percentile(times[0], 50), percentile(times[1], 50)];
      const wrong = changes / wrongEvery;
      yield row({
        name: "compare both stores of 2,000 changes",
        value: whole,
        unit: "ms",
        reference: bare,
        hold: "≤ 2 × jj log",
        ok: whole <= bare * 2,
      });
      yield row({
        name: "figures written over that the comparison finds among 2,000",
        value: compared.differences.length,
        unit: "differences",
        reference: wrong,
        hold: "all, and no other",
        ok: compared.differences.length === wrong && compared.same === changes - wrong,
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

export default bench;
