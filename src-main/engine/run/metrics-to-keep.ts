import { isOver } from "#shared/domain/run/stage-state.ts";
import type { RunState } from "#shared/run/state.ts";
import type { RunDriver, RunReader } from "../ports.ts";

/** What the journal keeps of the figures: all, until a run is over whose figures stand on its result alone. (HOX-6.2) */
export const metricsToKeep = (run: RunReader & RunDriver): RunState["metrics"] =>
  run.config.metrics.store === "trailer" && isOver(run.state) ? [] : run.metrics.all();
