/** The user's commands for a run as a whole. */

import { commands, type EngineCommandName, type EngineCommands } from "#shared/contract/commands.ts";
import { waitsToAdvance } from "#shared/domain/run/stage-actions.ts";
import { isOver } from "#shared/domain/run/stage-state.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { EngineRefusal, StaleAnswer } from "./engine-errors.ts";
import type { EngineEvent } from "./engine-interface.ts";
import { checkedBy } from "./kernel/feature.ts";
import { inform } from "./kernel/notify.ts";
import type { OpenRuns } from "./open-runs.ts";
import type { Run } from "./ports.ts";
import { orchestratorsOf, rootOf } from "./workers/hierarchy.ts";

type RunCommands = EngineCommands<
  "run.pause" | "run.resume" | "run.stop" | "run.extendBudget" | "run.setLimits" | "inbox.answer",
  Run
>;

export function createRunCommands(
  runs: Pick<OpenRuns, "finish" | "flush">,
  emit: (event: EngineEvent) => void,
): RunCommands {
  const commands: RunCommands = {
    async "run.pause"(run) {
      run.dispatch({ kind: "Pause" });
      if (run.state.pauseFollows)
        inform(
          { emit },
          "The run is waiting for budget, and stays paused after you extend it.",
          "Resume the run to cancel the pause.",
        );
      runs.flush();
    },
    async "run.resume"(run) {
      if (run.state.pauseFollows) run.dispatch({ kind: "Resume" });
      if (run.state.pause === "budget")
        throw new EngineRefusal("The budget is spent.", "Extend it in the inbox; the run then resumes.");
      run.known?.scheduler?.resume();
      for (const name of orchestratorsOf(run)) {
        const state = run.stateOf(name);
        const { current } = state;
        // Its result is checked before the next one begins, as with automatic phases.
        if (waitsToAdvance(state) && current.stage === "executing")
          run.dispatch({ kind: "PhaseReleased", phase: current.phase }, name);
      }
      run.dispatch({ kind: "Resume" });
      runs.flush();
    },
    async "run.stop"(run) {
      run.dispatch({ kind: "Stop", by: "user" });
      await runs.finish(run);
    },
    async "run.extendBudget"(run, limits, by) {
      const stop = `${run.id}/budget/${run.state.budgetStops}`;
      const card = run.inbox.items().find((item) => item.id === stop);
      if (card) await commands["inbox.answer"](run, { ...card, decision: { kind: "extend", ...limits } }, by);
      else run.append({ kind: "RunLimitsSet", limits });
    },
    async "run.setLimits"(run, { maxParallelAgents, maxIterations, ...amounts }, by) {
      if (maxParallelAgents !== undefined) run.append({ kind: "AgentsAtOnceSet", maxParallelAgents });
      if (maxIterations !== undefined) run.append({ kind: "IterationsSet", maxIterations });
      run.slots.look();
      if (amounts.tokens === undefined && amounts.microDollars === undefined) return;
      const { limits } = run.facts;
      await commands["run.extendBudget"](
        run,
        {
          tokens: amounts.tokens === undefined ? limits.tokens : amounts.tokens,
          microDollars: amounts.microDollars === undefined ? limits.microDollars : amounts.microDollars,
        },
        by,
      );
    },
    async "inbox.answer"(run, { id, nonce, shown, decision }, by) {
      if (isOver(run.state)) throw new StaleAnswer("The run that asked this has ended.");
      await run.inbox.answer(
        { id, nonce, shown, decision },
        checkedBy(
          run.features.flatMap(({ cardChecks = [] }) => cardChecks),
          run,
        ),
        by,
      );
    },
  };
  return commands;
}

/** A run's name in errors: its root and the start of its goal. */
export const runName = (run: Pick<Run, "row">): string =>
  `${rootOf(run)} "${startOf(run.row.input.goal, 80)}"`;

/** @throws EngineRefusal where no run that is shown has this id, or where the command needs one that has not ended */
export function runForCommand(
  runs: Pick<OpenRuns, "shown" | "going">,
  id: string,
  name: EngineCommandName,
): Run {
  const found = runs.shown().find((run) => run.id === id);
  if (found && !(isOver(found.state) && commands[name].about === "active-run")) return found;
  if (!found && name === "inbox.answer") throw new StaleAnswer("The run that asked this has ended.");
  const going = runs.going();
  throw new EngineRefusal(
    found
      ? `The run ${runName(found)} has ended.`
      : `No run "${startOf(id, 40)}" is open in this repository.`,
    going.length === 0 ? "Start one with a goal." : `Choose one: ${going.map(runName).join(", ")}.`,
  );
}
