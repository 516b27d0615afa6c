import { forecastRun, forecastVotes } from "#shared/domain/forecast/forecast.ts";
import { backtest, typicalError } from "#shared/domain/forecast/forecast-error.ts";
import { loadConfig } from "../../../config/config.ts";
import { type Action, background, type Feature } from "../../kernel/feature.ts";
import type { Run } from "../../ports.ts";
import { pastRuns } from "../../run/past-work.ts";
import { createForecast, seatModels } from "./run-forecasts.ts";

/** What a run will take, from what earlier runs of the repository took; kept with it, so that its error is known. */
export const forecast: Feature<Run> = {
  name: "forecast",
  services: (run) => ({ forecast: createForecast(run) }),
  commands: ({ journal, opened, repository, settings, stateFolder }) => ({
    async "run.forecast"({ quick, model, attempts, validators, validatorModel: chosen }) {
      const past = await pastRuns(journal, { isRehearsal: false });
      const { config } = await loadConfig({ root: repository.root, stateFolder, settings: settings() });
      const seats = {
        one: seatModels("one", config, { chosen, usual: model }),
        panel: seatModels("panel", config, { chosen, usual: model }),
      };
      const one = forecastVotes(seats.one, past);
      const panel = forecastVotes(seats.panel, past);
      const atOnce = opened()?.slots.limit() ?? settings().maxParallelAgents;
      const rows = backtest(past, atOnce);
      const error = typicalError(rows);
      return {
        estimate: forecastRun(
          {
            ...{ isQuick: quick, model, attempts, atOnce },
            ...(validators === undefined ? {} : { seats: seats[validators] }),
          },
          past,
        ),
        votes: one === null || panel === null ? null : { one, panel },
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
