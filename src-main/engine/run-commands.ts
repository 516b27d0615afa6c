/** The user's commands for a run as a whole. */
import { waitsToAdvance } from "#shared/domain/run/stage-actions.ts";
import { EngineRefusal, StaleAnswer } from "./engine-errors.ts";
import type { EngineEvent } from "./engine-interface.ts";
import { checkedBy } from "./kernel/cards.ts";
import type { EngineCommands } from "./kernel/commands.ts";
import type { MeantRun } from "./meant-run.ts";
import type { OpenRuns } from "./open-runs.ts";
import { orchestratorsOf } from "./workers/hierarchy.ts";

type RunCommands = EngineCommands<
  "run.pause" | "run.resume" | "run.stop" | "run.extendBudget" | "run.setLimits" | "inbox.answer"
>;

export function createRunCommands(
  current: Pick<OpenRuns, "finish" | "flush"> & Pick<MeantRun, "active" | "going">,
  emit: (event: EngineEvent) => void,
): RunCommands {
  const commands: RunCommands = {
    async "run.pause"() {
      const run = current.active();
      run.dispatch({ kind: "Pause" });
      if (run.state.pauseFollows)
        emit({
          kind: "notice",
          level: "info",
          text: "The run is waiting for budget, and stays paused after you extend it.",
          remedy: "Resume the run to cancel the pause.",
        });
      current.flush();
    },
    async "run.resume"() {
      const run = current.active();
      if (run.state.pauseFollows) run.dispatch({ kind: "Resume" });
      if (run.state.hold === "budget")
        throw new EngineRefusal("The budget is spent.", "Extend it in the inbox; the run then resumes.");
      run.known?.scheduler?.resume();
      for (const name of orchestratorsOf(run)) {
        const state = run.stateOf(name);
        const { course } = state;
        // Its result is checked before the next one begins, as with automatic phases.
        if (waitsToAdvance(state) && course.stage === "executing")
          run.dispatch({ kind: "PhaseReleased", phase: course.phase }, name);
      }
      run.dispatch({ kind: "Resume" });
      current.flush();
    },
    async "run.stop"() {
      const run = current.active();
      run.dispatch({ kind: "Stop", by: "person" });
      await current.finish(run);
    },
    async "run.extendBudget"(limits) {
      const run = current.active();
      const stop = `${run.id}/budget/${run.state.budgetStops}`;
      const card = run.inbox.items().find((item) => item.id === stop);
      if (card) await commands["inbox.answer"]({ ...card, decision: { kind: "extend", ...limits } });
      else run.append({ kind: "RunLimitsSet", limits });
    },
    async "run.setLimits"({ maxParallelAgents, maxIterations, ...amounts }) {
      const run = current.active();
      if (maxParallelAgents !== undefined) run.append({ kind: "AgentsAtOnceSet", maxParallelAgents });
      if (maxIterations !== undefined) run.append({ kind: "IterationsSet", maxIterations });
      run.slots.look();
      if (amounts.tokens === undefined && amounts.microDollars === undefined) return;
      const { limits } = run.facts;
      await commands["run.extendBudget"]({
        tokens: amounts.tokens === undefined ? limits.tokens : amounts.tokens,
        microDollars: amounts.microDollars === undefined ? limits.microDollars : amounts.microDollars,
      });
    },
    async "inbox.answer"({ id, nonce, shown, decision }) {
      const run = current.going();
      if (!run) throw new StaleAnswer("The run that asked this has ended.");
      await run.inbox.answer(
        { id, nonce, shown, decision },
        checkedBy(
          run.features.flatMap(({ cardChecks = [] }) => cardChecks),
          run,
        ),
      );
    },
  };
  return commands;
}
