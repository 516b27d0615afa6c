import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { leadDelegatedRun, prepareDelegatedRun } from "./delegated-run.ts";

/** Tasks that are given to an orchestrator below: its part is planned, worked on and brought together by itself. */
export const delegation: Feature<Run> = {
  name: "delegation",
  services: (run) => ({
    delegation: {
      prepare: (orchestrator) => prepareDelegatedRun(run, orchestrator),
      lead: (orchestrator, signal) => leadDelegatedRun(run, orchestrator, signal),
    },
  }),
};
