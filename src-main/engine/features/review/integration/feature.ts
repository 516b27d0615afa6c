import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { requireSandbox } from "../../../workspaces/sandbox-gate.ts";
import { createMerge, integrate } from "./integration.ts";

/** Finished tasks come together in one change without a conflict. */
export const integration: Feature<Run> = {
  name: "integration",
  course: {
    CreateMerge: {
      title: "The integration change could not be created",
      async perform(run, { orchestrator }, signal) {
        await requireSandbox(run);
        await createMerge(run, orchestrator, signal);
      },
    },
    ResolveConflicts: {
      title: "The integration is stuck",
      async perform(run, { orchestrator, action }, signal) {
        await requireSandbox(run);
        await integrate(run, orchestrator, action.attempt, signal);
      },
    },
  },
};
