import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { retryWorker } from "../../../workers/retry-worker.ts";
import { refuseFinished, steerableWorker } from "../../../workers/steerable.ts";
import { finishByHand, giveBack, previewTakeover, takeOver } from "./take-over.ts";

/** A person does a task by hand. */
export const takeover: Feature<Run> = {
  name: "takeover",
  services: (run) => ({
    takeover: {
      takeOver: (worker) => takeOver(run, worker),
      giveBack: (worker, words) => giveBack(run, worker, words),
      finish: (worker, summary) => finishByHand(run, worker, summary),
    },
  }),
  commands: () => ({
    async "run.takeOver"(run, { worker: name }) {
      refuseFinished(run, name);
      return takeOver(run, name);
    },
    async "run.previewTakeover"(run, { worker: name }) {
      steerableWorker(run, name);
      return previewTakeover(run, name);
    },
    async "run.giveBack"(run, { worker: name, words }) {
      steerableWorker(run, name);
      await giveBack(run, name, words);
      await retryWorker(run, name);
    },
    async "run.finishByHand"(run, { worker: name, summary }) {
      steerableWorker(run, name);
      const result = await finishByHand(run, name, summary);
      if (result.done) await retryWorker(run, name);
      return result;
    },
  }),
};
