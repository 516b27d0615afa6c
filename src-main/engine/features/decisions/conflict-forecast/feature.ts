import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { createRadar } from "./radar.ts";

/** Which agents are about to collide. */
export const conflictForecast: Feature<Run> = {
  name: "conflict-forecast",
  services: (run) => ({ conflictForecast: createRadar(() => run) }),
  onGraph: (run) => () => run.services.conflictForecast.look(),
};
