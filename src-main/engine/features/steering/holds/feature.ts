import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { isPaused, untilReleased } from "../../../workers/hold-worker.ts";
import { pauseCommands } from "./pause-worker.ts";

/** One worker waits while everyone else goes on: paused by a person, in a person's hands, or without help. */
export const holds: Feature<Run> = {
  name: "holds",
  commands: pauseCommands,
  agents: {
    gate: {
      name: "pauses",
      isClosed: isPaused,
      async pass(run, worker, signal) {
        const hasToWait = isPaused(run, worker) || Boolean(run.worker(worker).record.blocked);
        await untilReleased(run, worker, signal);
        return hasToWait;
      },
    },
  },
};
