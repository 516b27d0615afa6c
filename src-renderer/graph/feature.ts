import type { Feature } from "../registry/feature.ts";
import { followFilter } from "./model/filter-store.ts";
import { followGraph } from "./model/graph-model.ts";

/** The graph, as a log and as a canvas. */
export const graph: Feature = {
  start: () => {
    followGraph();
    followFilter();
  },
};
