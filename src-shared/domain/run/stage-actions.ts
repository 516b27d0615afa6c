import type { TaskProgress } from "../plan/plan-in-run.ts";
import { isOver, type PhaseEnd, type StageAction, type StageState } from "./stage-state.ts";

/**
 * Every pending action of a state, in starting order. (PLAN-1c) The engine chooses which ready task gets the
 * next free agent, by priority and rank.
 */
export function pending(state: StageState): readonly StageAction[] {
  const { current, moves, attempt } = state;
  if (isOver(state) || current.stage === "idle") return [];
  if (state.pause === "user") return [];
  if (state.pause === "budget")
    return [{ id: `budget/${state.budgetStops}`, kind: "AskForBudget", stop: state.budgetStops }];
  switch (current.stage) {
    case "watching":
      return [];
    case "planning":
      return [{ id: `plan/${current.round}`, kind: "SpawnPlanningAgent", round: current.round }];
    case "executing": {
      if (current.settled) return waitsToAdvance(state) ? [] : advance(state);
      if (current.phase === 0) return [{ id: "contracts", kind: "WriteContracts" }];
      return readyTasks(state, current.phase).map(spawn);
    }
    case "integrating":
      return current.step === "merge"
        ? [{ id: `merge/${moves}`, kind: "CreateMerge" }]
        : [{ id: `integrate/${moves}`, kind: "ResolveConflicts", attempt }];
    case "validating":
      return current.step === "ask"
        ? [{ id: `verdict/${moves}`, kind: "AskAboutVerdict" }]
        : [{ id: judging(state), kind: "SpawnValidators", attempt }];
    case "learning":
      return [{ id: nth("learn", attempt), kind: "RecordPattern" }];
    case "landing":
      return [{ id: nth("land", attempt), kind: "Land" }];
    case "complete":
    case "failed":
    case "stopped":
      return [];
    default: {
      const never: never = current;
      return never;
    }
  }
}

const judging = ({ attempt, voided }: StageState): string =>
  voided === 0 ? `validate/${attempt}` : `validate/${attempt}/${voided}`;

/** What comes again only after the result was worked on again. */
const nth = (id: string, attempt: number): string => (attempt === 0 ? id : `${id}/${attempt}`);

/**
 * The event that ends the phase of a run, or null while the phase is not settled. (PLAN-10) The engine emits
 * it when the phase passes: automatically with auto-advance, otherwise after the user's confirmation.
 */
export function phaseEnd({ current, tasks }: StageState): PhaseEnd | null {
  if (current.stage !== "executing" || !current.settled) return null;
  return tasks.some((one) => one.state === "open")
    ? { kind: "PhaseComplete", phase: current.phase }
    : { kind: "AllTasksComplete" };
}

/** True if a phase is done and needs the user's confirmation to advance. */
export const waitsToAdvance = (state: StageState): boolean =>
  !state.limits.autoAdvance &&
  phaseEnd(state) !== null &&
  !(state.current.stage === "executing" && state.current.isReleased);

function advance(state: StageState): readonly StageAction[] {
  const by = phaseEnd(state);
  return by === null ? [] : [{ id: `advance/${state.moves}`, kind: "AdvancePhase", by }];
}

const spawn = (task: TaskProgress): StageAction => ({
  id: `task/${task.task}/${task.round}`,
  kind: "SpawnTaskAgent",
  task: task.task,
  round: task.round,
});

/**
 * Open tasks up to a phase without open dependencies. A plan with a dependency cycle is rejected earlier; if
 * an edit creates one anyway, its tasks start together, because the run would otherwise never end.
 */
function readyTasks(state: StageState, phase: number): readonly TaskProgress[] {
  const reached = state.tasks.filter((one) => one.phase <= phase && one.state === "open");
  const open = new Set(reached.map((one) => one.task));
  const ready = reached.filter((one) => !one.after.some((before) => open.has(before)));
  return ready.length > 0 ? ready : reached;
}
