import { Interrupted } from "../../../engine-errors.ts";
import { background, type Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { isParallelAttempt, isSetAside, waitsForChoice } from "../../../workers/attempts.ts";
import { askChoice, choicesToAsk } from "./ask-choice.ts";
import {
  abandonOthers,
  choose,
  groupNamed,
  importUndoneChoices,
  undoChoice,
  unsettledChoices,
} from "./choose.ts";
import { compareAttempts } from "./compare.ts";
import { fork, previewFork } from "./fork.ts";
import { addAttempt, createChange, desiredAttempts, withoutChange } from "./make-attempt.ts";
import {
  activeParallelAttempts,
  isFinished,
  isTaskOpen,
  readFirst,
  runParallelAttempt,
} from "./work-beside.ts";

/** Several attempts at one task, of which a person chooses one. (HYLO-3) */
export const attempts: Feature<Run> = {
  name: "attempts",
  commands: ({ active }) => ({
    "attempt.previewFork": (at) => previewFork(active(), at),
    async "attempt.fork"(asked) {
      return { worker: await fork(active(), asked) };
    },
    "attempt.compare"({ worker, against }) {
      const run = active();
      return compareAttempts(run, groupNamed(run, worker), against);
    },
    "attempt.choose": ({ worker }) => choose(active(), worker),
    "attempt.undoChoice": ({ worker }) => undoChoice(active(), worker),
  }),
  agents: {
    gate: {
      name: "attempts",
      isClosed: isSetAside,
      async pass(run, worker) {
        if (isSetAside(run, worker)) throw new Interrupted();
        return false;
      },
    },
    async beforeOffer(run, { worker }, signal) {
      if (!waitsForChoice(run, worker)) return;
      run.setActivity(worker, "waiting", "waiting for the other attempts or your choice");
      await run.waiters.until(
        () => {
          readFirst(run, worker);
          // Undone, contradicted or told something, it is worked on again before anybody chooses.
          const isOffered = isFinished(run.worker(worker).record.status);
          return !isOffered || !waitsForChoice(run, worker) || isParallelAttempt(run, worker);
        },
        AbortSignal.any([signal, run.runEnded.signal]),
      );
      if (isParallelAttempt(run, worker)) throw new Interrupted();
    },
  },
  background: [
    background({
      desired: (run: Run) =>
        desiredAttempts(run, (orchestrator, task) => isTaskOpen(run, orchestrator, task)),
      async perform(run, { worker }) {
        addAttempt(run, run.worker(worker).record, null);
      },
      failure: () => ({ title: "A task could not be tried again", worker: null, isAsked: false }),
    }),
    background({
      desired: (run: Run) => withoutChange(run).map((worker) => ({ id: `attempt-change/${worker}`, worker })),
      perform: (run, { worker }) => createChange(run, worker),
      failure: ({ worker }) => ({ title: "An attempt could not start", worker, isAsked: false }),
    }),
    background({
      desired: (run: Run) =>
        activeParallelAttempts(run).map((worker) => ({ id: `beside/${worker}`, worker })),
      perform: (run, { worker }) => runParallelAttempt(run, worker),
      failure: ({ worker }) => ({ title: "An agent failed", worker, isAsked: true }),
    }),
    background({
      desired: choicesToAsk,
      perform: askChoice,
      failure: () => ({ title: "You could not be asked to choose an attempt", worker: null, isAsked: false }),
    }),
    background({
      desired: (run: Run) => unsettledChoices(run).map((key) => ({ id: `abandon-others/${key}`, key })),
      perform: (run, { key }) => abandonOthers(run, key),
      failure: () => ({
        title: "Attempts that were not chosen could not be abandoned",
        worker: null,
        isAsked: false,
      }),
      isForHeldRun: true,
    }),
  ],
  onGraph: (run) => () => importUndoneChoices(run),
};
