import { waitOf } from "#shared/domain/radar/collisions.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import {
  isPaused,
  isTakenOver,
  pauseWorker,
  resumeWorker,
  waitUntilResumed,
} from "../../../workers/pause-worker.ts";
import { refuseFinished, refuseInactive, steerable } from "../../../workers/steerable.ts";

/** Pauses single workers while others continue: paused or taken over by the user, or waiting for help. */
export const pauses: Feature<Run> = {
  name: "pauses",
  commands: () => ({
    "run.pauseWorker"(run, { worker: name }) {
      if (roles[steerable(run, name).record.role].isLead) refuseInactive(run, name);
      else refuseFinished(run, name);
      pauseWorker(run, name);
    },
    "run.resumeWorker"(run, { worker: name }) {
      steerable(run, name);
      if (isTakenOver(run, name))
        throw new EngineRefusal(`You have taken over the task of ${name}.`, "Return it, or mark it as done.");
      const wait = waitOf(run.facts.collisions, name);
      if (wait !== null) {
        run.append({ kind: "CollisionWaitEnded", id: wait.id, why: "user" });
        run.waiters.wake();
      } else if (!isPaused(run, name))
        throw new EngineRefusal(
          `${name} is not paused.`,
          run.state.pause === "none"
            ? "It resumes automatically when it no longer has to wait."
            : "The whole run is paused: resume the run.",
        );
      resumeWorker(run, name);
    },
  }),
  agents: {
    gate: {
      name: "pauses",
      isClosed: isPaused,
      async pass(run, worker, signal) {
        const hasToWait = isPaused(run, worker) || Boolean(run.worker(worker).record.blocked);
        await waitUntilResumed(run, worker, signal);
        return hasToWait;
      },
    },
  },
};
