import { waitsToAdvance } from "#shared/domain/run/run-actions.ts";
import { isOver } from "#shared/domain/run/run-state.ts";
import { Interrupted } from "../../engine-errors.ts";
import type { Feature } from "../../kernel/feature.ts";
import type { Run } from "../../ports.ts";
import { orchestratorsOf } from "../../workers/hierarchy.ts";
import { phaseHolds } from "./check-phase.ts";

/** From one phase of a plan to the next. */
export const phases: Feature<Run> = {
  name: "phases",
  course: {
    AdvancePhase: {
      title: "The next phase cannot begin",
      async perform(run, { orchestrator, action }, signal) {
        const { by } = action;
        // What the last phase came to is judged with the whole.
        const holds =
          by.kind !== "PhaseComplete" || (await phaseHolds(run, { orchestrator, phase: by.phase }, signal));
        if (signal.aborted || isOver(run.state)) throw new Interrupted();
        if (!holds) return;
        run.dispatch(by, orchestrator);
      },
    },
  },
  show(run) {
    for (const name of orchestratorsOf(run)) {
      const state = run.stateOf(name);
      const { course } = state;
      if (course.stage === "executing" && waitsToAdvance(state))
        run.setActivity(name, "waiting", `phase ${course.phase} is done; resume to begin the next`);
    }
  },
};
