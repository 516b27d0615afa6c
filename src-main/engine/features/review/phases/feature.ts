import { waitsToAdvance } from "#shared/domain/run/stage-actions.ts";
import { isOver } from "#shared/domain/run/stage-state.ts";
import { Interrupted } from "../../../engine-errors.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { orchestratorsOf } from "../../../workers/hierarchy.ts";
import { checkPhaseAnswer, isPhaseValid, withdrawVoidPhases } from "./check-phase.ts";
import { workRead } from "./phase-base.ts";

/** From one phase of a plan to the next. */
export const phases: Feature<Run> = {
  name: "phases",
  stageActions: {
    AdvancePhase: {
      title: "The next phase could not start",
      async perform(run, { orchestrator, action }, signal) {
        const { by } = action;
        // The last phase is judged with the whole result.
        const holds =
          by.kind !== "PhaseComplete" || (await isPhaseValid(run, { orchestrator, phase: by.phase }, signal));
        if (signal.aborted || isOver(run.state)) throw new Interrupted();
        if (!holds) return;
        run.dispatch(by, orchestrator);
      },
    },
  },
  cardChecks: { votes: checkPhaseAnswer },
  recover: withdrawVoidPhases,
  onGraph(run) {
    if (run.config.validation.phases === "off") return () => undefined;
    const read = () =>
      orchestratorsOf(run)
        .map((name) => workRead(run, name))
        .join();
    const before = read();
    return () => {
      // Whoever judges a phase looks whether it still is what is judged.
      if (read() !== before) run.waiters.wake();
    };
  },
  show(run) {
    for (const name of orchestratorsOf(run)) {
      const state = run.stateOf(name);
      const { current } = state;
      if (current.stage === "executing" && waitsToAdvance(state))
        run.setActivity(name, "waiting", `phase ${current.phase} is done; resume to start the next one`);
    }
  },
};
