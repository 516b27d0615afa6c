import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { retryWorker } from "../../../workers/hold-worker.ts";
import { refuseFinished, steerableWorker } from "../../../workers/steerable.ts";
import { finishByHand, giveBack, previewTakeover, takeOver } from "./take-over.ts";

/** Takeover of a task by the user. */
export const takeover: Feature<Run> = {
  name: "takeover",
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
