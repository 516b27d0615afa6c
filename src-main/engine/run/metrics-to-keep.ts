import { isOver } from "#shared/domain/run/run-state.ts";
import type { RunModel } from "../model/run-model.ts";
import type { RunDriver, RunReader } from "../ports.ts";

/** What the journal keeps of the figures: all, until a run is over whose figures stand on its result alone. (HOX-6.2) */
export const metricsToKeep = (run: RunReader & RunDriver): RunModel["metrics"] =>
  run.config.metrics.store === "trailer" && isOver(run.state) ? [] : run.metrics.all();
