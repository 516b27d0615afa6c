import type { Feature } from "../registry/feature.ts";
import { graphKeys } from "./change/graph-keys.ts";
import { followFilter } from "./model/filter-store.ts";
import { followGraph } from "./model/graph-model.ts";
import { planKeys, planLinkKeys } from "./plan/use-plan-keys.ts";
import { runCanvasKeys } from "./run-canvas/use-run-canvas-keys.ts";

/** The graph, as a log and as a canvas. */
export const graph: Feature = {
  keys: [graphKeys, runCanvasKeys, planKeys, planLinkKeys],
  start: () => {
    followGraph();
    followFilter();
  },
};
