import type { Feature } from "../registry/feature.ts";
import { followFilter } from "./filter-store.ts";
import { followGraph } from "./graph-model.ts";

/** The graph, as a log and as a canvas. */
export const graph: Feature = {
  start: () => {
    followGraph();
    followFilter();
  },
};
