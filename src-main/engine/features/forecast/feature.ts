import { forecastRun } from "#shared/domain/forecast/forecast.ts";
import { backtest, typicalError } from "#shared/domain/forecast/forecast-error.ts";
import { type Action, background, type Feature } from "../../kernel/feature.ts";
import type { Run } from "../../ports.ts";
import { pastRuns } from "../../run/past-work.ts";
import { createForecast } from "./run-forecasts.ts";

/** What a run will take, from what earlier runs of the repository took; kept with it, so that its error is known. */
export const forecast: Feature<Run> = {
  name: "forecast",
  services: (run) => ({ forecast: createForecast(run) }),
  commands: ({ journal, opened, settings }) => ({
    async "run.forecast"({ quick, model, attempts }) {
      const past = await pastRuns(journal, { isRehearsal: false });
      const atOnce = opened()?.slots.limit() ?? settings().maxParallelAgents;
      const rows = backtest(past, atOnce);
      const error = typicalError(rows);
      return {
        estimate: forecastRun({ isQuick: quick, model, attempts, atOnce }, past),
        typicalError: error === null || rows.length < 2 ? null : { ...error, runs: rows.length },
      };
    },
  }),
  background: [
    background<Run, Action>({
      desired: (run) => run.services.forecast.toKeep().map(({ kind }) => ({ id: `forecast/${kind}` })),
      async perform(run) {
        run.append(...run.services.forecast.toKeep());
      },
      failure: () => ({ title: "The forecast could not be kept", worker: null, isAsked: false }),
      isForHeldRun: true,
    }),
  ],
};
