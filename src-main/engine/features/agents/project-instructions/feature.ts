import { instructionsForTask } from "../../../conversations/project-instructions.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";

/** The project's instructions for agents. */
export const projectInstructions: Feature<Run> = {
  name: "project-instructions",
  agents: {
    prompt: {
      instructions: (run, { worker }) => [instructionsForTask(run, run.worker(worker).record)],
    },
  },
};
