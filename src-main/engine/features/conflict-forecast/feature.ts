import type { Feature } from "../../kernel/feature.ts";
import type { Run } from "../../ports.ts";

/** Which agents are about to collide. */
export const conflictForecast: Feature<Run> = {
  name: "conflict-forecast",
  onGraph: (run) => () => run.radar.look(),
};
