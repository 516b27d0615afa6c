import type { Feature } from "../../kernel/feature.ts";
import type { Run } from "../../ports.ts";
import { holdInSandbox } from "../../workspaces/sandbox-gate.ts";
import { validateResult } from "./validate-result.ts";

/** Seats judge the result. */
export const validation: Feature<Run> = {
  name: "validation",
  course: {
    SpawnValidators: {
      title: "The validation cannot go on",
      async perform(run, { action }, signal) {
        await holdInSandbox(run);
        await validateResult(run, action.attempt, signal);
      },
    },
  },
};
