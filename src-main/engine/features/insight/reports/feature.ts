import { setImmediate as yieldToOthers } from "node:timers/promises";
import { forecastByModel, type Sample } from "#shared/domain/forecast/forecast.ts";
import { type ReportedWorker, report } from "#shared/domain/report/report.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { comparedStores } from "../../../run/compare-stores.ts";
import { reportedRun, reportedRuns } from "../../../run/reported-runs.ts";

/** Older runs say little about what work costs today. */
const maxRuns = 20;

interface RunSamples {
  readonly tasks: readonly Sample[];
  readonly validators: readonly Sample[];
}

/** Statistics over runs: computed from the journal on request, not stored. */
export const reports: Feature<Run> = {
  name: "reports",
  commands({ journal, repository }) {
    // By id and end: a run can end again, as after an undone landing.
    const samplesByRun = new Map<string, RunSamples>();
    return {
      "report.compareStores": ({ runs }) => comparedStores(journal, repository, runs),
      "report.runs"({ by, runs }) {
        const { reported, leftOut } = reportedRuns(journal, runs);
        return report(reported, by, leftOut);
      },
      /** What a task or a validator usually costs and takes, from complete runs; rehearsals cost nothing. */
      async "run.forecast"() {
        const rows = journal
          .runs()
          .filter(({ stage, input }) => stage === "complete" && input.rehearsal === null)
          .slice(0, maxRuns);
        const runs: RunSamples[] = [];
        for (const row of rows) {
          const key = `${row.id} ${row.endedAt}`;
          const samples = samplesByRun.get(key) ?? samplesOf(reportedRun(journal, row).workers);
          samplesByRun.set(key, samples);
          runs.push(samples);
          await yieldToOthers();
        }
        return {
          tasks: forecastByModel(runs.flatMap(({ tasks }) => tasks)),
          validators: forecastByModel(runs.flatMap(({ validators }) => validators)),
        };
      },
    };
  },
};

const samplesOf = (workers: readonly ReportedWorker[]): RunSamples => ({
  tasks: workers.filter(({ isAgent }) => isAgent).flatMap(sampleOf),
  validators: workers.filter(({ phase }) => phase === "validation").flatMap(sampleOf),
});

/** Counts for the model that it spent most on; nothing where it asked no model. */
function sampleOf({ spent, milliseconds }: ReportedWorker): readonly Sample[] {
  const [main] = [...spent].toSorted(([, one], [, other]) => other.microDollars - one.microDollars);
  if (main === undefined) return [];
  const microDollars = [...spent.values()].reduce((sum, one) => sum + one.microDollars, 0);
  return [{ model: main[0], microDollars, milliseconds }];
}
