/** The run that a command is about. */
import { commands, type EngineCommandName } from "#shared/contract/commands.ts";
import { isOver } from "#shared/domain/run/stage-state.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import { EngineRefusal, StaleAnswer } from "./engine-errors.ts";
import type { OpenRuns } from "./open-runs.ts";
import type { Run } from "./ports.ts";
import { rootOf } from "./workers/hierarchy.ts";

/** How a run is told from the others. */
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
