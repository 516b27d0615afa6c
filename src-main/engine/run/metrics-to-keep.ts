import { isOver } from "#shared/domain/run/stage-state.ts";
import type { RunState } from "#shared/run/state.ts";
import type { Run } from "../ports.ts";

/**
 * Which figures the journal keeps: all, until a run is over whose figures are on its result only. (HOX-6.2)
 */
export const metricsToKeep = (run: Run): RunState["metrics"] =>
  run.config.metrics.store === "trailer" && isOver(run.state) ? [] : run.metrics.all();
