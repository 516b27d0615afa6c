import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { retryWorker } from "../../../workers/retry-worker.ts";
import { latestRun, refuseFinished, steerableWorker } from "../../../workers/steerable.ts";
import { finishByHand, giveBack, previewTakeover, takeOver } from "./take-over.ts";

/** Takeover of a task by the user. */
export const takeover: Feature<Run> = {
  name: "takeover",
  services: (run) => ({
    takeover: {
      takeOver: (worker) => takeOver(run, worker),
      giveBack: (worker, words) => giveBack(run, worker, words),
      finish: (worker, summary) => finishByHand(run, worker, summary),
    },
  }),
  commands: ({ active, opened }) => ({
    async "run.takeOver"({ worker: name }) {
      const run = active();
      refuseFinished(run, name);
      return takeOver(run, name);
    },
    async "run.previewTakeover"({ worker: name }) {
      const run = latestRun(opened);
      steerableWorker(run, name);
      return previewTakeover(run, name);
    },
    async "run.giveBack"({ worker: name, words }) {
      const run = active();
      steerableWorker(run, name);
      await giveBack(run, name, words);
      await retryWorker(run, name);
    },
    async "run.finishByHand"({ worker: name, summary }) {
      const run = active();
      steerableWorker(run, name);
      const result = await finishByHand(run, name, summary);
      if (result.done) await retryWorker(run, name);
      return result;
    },
  }),
};
