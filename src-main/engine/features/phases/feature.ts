import { waitsToAdvance } from "#shared/domain/run/run-actions.ts";
import type { Feature } from "../../kernel/feature.ts";
import type { Run } from "../../ports.ts";
import { orchestratorsOf } from "../../workers/hierarchy.ts";

/** From one phase of a plan to the next. */
export const phases: Feature<Run> = {
  name: "phases",
  course: {
    AdvancePhase: {
      title: "The next phase cannot begin",
      perform: async (run, { orchestrator, action }) => run.dispatch(action.by, orchestrator),
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
