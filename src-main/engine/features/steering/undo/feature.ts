import { integratorOf } from "#shared/domain/graph-words/address.ts";
import { isOver } from "#shared/domain/run/stage-state.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { parentOf } from "../../../workers/hierarchy.ts";
import { hold, isPaused, release, retryWorker } from "../../../workers/hold-worker.ts";
import { steerableWorker } from "../../../workers/steerable.ts";
import { previewUndo, undoWorker } from "./undo-worker.ts";

/** Undoes one agent's work only. */
export const undo: Feature<Run> = {
  name: "undo",
  commands: () => ({
    "run.previewUndo": (run, { worker: name }) => previewUndo(run, steerableWorker(run, name)),
    async "run.undoWorker"(run, { worker: name, afterwards }) {
      const isRunOver = isOver(run.state);
      const wasHeld = isPaused(run, name);
      const parent = parentOf(run, name);
      const stage = (): string => run.stateOf(parent).course.stage;
      const before = stage();
      if (!isRunOver) hold(run, name);
      let done: Awaited<ReturnType<typeof undoWorker>>;
      try {
        done = await undoWorker(run, steerableWorker(run, name));
        if (!isRunOver) await retryWorker(run, name);
        // It was stuck because its change was abandoned to make way for this; it comes again after the tasks.
        if (before === "integrating" && stage() === "executing") await retryWorker(run, integratorOf(parent));
      } catch (error) {
        if (!isRunOver && !wasHeld) release(run, name);
        throw error;
      }
      if (!isRunOver && afterwards === "restart") release(run, name);
      return { operation: done.operation };
    },
  }),
};
