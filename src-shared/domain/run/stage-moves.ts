/** The transitions between a run's stages; `transition.ts` maps events to them. */
import { amendedTasks, type PlanAmended } from "../plan/plan-in-run.ts";
import type { CurrentStage, StageEvent, StageState } from "./stage-state.ts";

/** Every change of stage goes through here, so that no id of an action comes a second time. */
export const move = (state: StageState, current: CurrentStage): StageState => ({
  ...state,
  current,
  moves: state.moves + 1,
});

/** Ends a run or a part of one: clears its pause and its questions. */
export const end = (state: StageState, current: CurrentStage): StageState => ({
  ...move(state, current),
  pause: "none",
  pauseFollows: false,
  awaiting: [],
});

/** Takes the plan's tasks over. Phases before the first are none, and a task that is named twice is one. */
export function begin(
  state: StageState,
  planned: Extract<StageEvent, { kind: "PlanningComplete" }>["tasks"],
): StageState {
  if (planned.length === 0) return state;
  const tasks = new Map<string, StageState["tasks"][number]>();
  for (const { task, phase, after } of planned)
    if (!tasks.has(task))
      tasks.set(task, { task, phase: Math.max(1, phase), after, state: "open", round: 1 });
  const all = [...tasks.values()];
  const first = state.workflow?.contracts.mode === "off" ? Math.min(...all.map(({ phase }) => phase)) : 0;
  return move({ ...state, tasks: all }, { stage: "executing", phase: first, settled: false });
}

/** A task ended. */
export function settle(state: StageState, task: string, how: "done" | "abandoned"): StageState {
  const { current } = state;
  // Nothing can be done while the contracts are written; what is abandoned then will not begin.
  if (current.stage !== "executing" || (current.phase === 0 && how === "done")) return state;
  if (!state.tasks.some((one) => one.task === task && one.state === "open")) return state;
  const next: StageState = {
    ...state,
    tasks: state.tasks.map((one) => (one.task === task ? { ...one, state: how } : one)),
  };
  if (current.settled || current.phase === 0) return next;
  return next.tasks.some((one) => one.phase <= current.phase && one.state === "open")
    ? next
    : move(next, { ...current, settled: true });
}

/** A settled phase is active again when a task is added, and settles when its last one is removed. */
export function amend(state: StageState, event: PlanAmended): StageState {
  const { current } = state;
  if (current.stage !== "executing" && current.stage !== "integrating") return state;
  const tasks = amendedTasks(state.tasks, event);
  if (tasks === state.tasks) return state;
  const next = { ...state, tasks };
  const open = tasks.filter((one) => one.state === "open").map((one) => one.phase);
  if (current.stage === "integrating")
    // New work joins, and the integration is redone with all of it.
    return open.length === 0
      ? next
      : move(next, { stage: "executing", phase: Math.min(...open), settled: false });
  if (current.phase === 0) return next;
  const settled = !open.some((phase) => phase <= current.phase);
  return settled === current.settled
    ? next
    : move(next, { stage: "executing", phase: current.phase, settled });
}

/** `landing`: a reviewer elsewhere asks for a change. */
const reopenable: ReadonlySet<string> = new Set(["executing", "integrating", "landing", "complete"]);

/** A task that was done is worked on again. */
export function reopen(state: StageState, task: string): StageState {
  const { current } = state;
  if (!reopenable.has(current.stage)) return state;
  const found = state.tasks.find((one) => one.task === task && one.state === "done");
  if (!found) return state;
  const tasks = state.tasks.map((one) =>
    one.task === task ? { ...one, state: "open" as const, round: one.round + 1 } : one,
  );
  // What was judged already is judged anew, and that is no rejection.
  const judged =
    current.stage === "landing" ? { attempt: state.attempt + 1, movedOn: state.movedOn + 1 } : {};
  // The integration is redone with the new version of the task.
  const phase = current.stage === "executing" ? Math.max(current.phase, found.phase) : found.phase;
  return move({ ...state, ...judged, tasks }, { stage: "executing", phase, settled: false });
}

/** The user lets a settled phase end. */
export const release = (state: StageState): StageState =>
  state.current.stage === "executing" && !state.current.isReleased
    ? move(state, { ...state.current, isReleased: true })
    : state;

/** To the next phase that holds open tasks; phases without any are passed over, and after the last comes integration. */
export function advance(state: StageState, from: number): StageState {
  const left = state.tasks.filter((one) => one.state === "open" && one.phase > from).map((one) => one.phase);
  return left.length > 0
    ? move(state, { stage: "executing", phase: Math.min(...left), settled: false })
    : integrate(state);
}

/** Brings together what was done; a run of which nothing was done has failed. */
export function integrate(state: StageState): StageState {
  return state.tasks.some((one) => one.state === "done")
    ? move(state, { stage: "integrating", step: "merge" })
    : end(state, {
        stage: "failed",
        by: "abandonment",
        reason: "Every task of the plan was abandoned, so there is nothing to integrate.",
        remedy: "Start a new run with another plan.",
      });
}

/** The result of a part goes to its parent, that of the run to its seats. */
export const integrated = (state: StageState): StageState =>
  state.part ? end(state, { stage: "complete" }) : move(state, { stage: "validating", step: "judge" });

/**
 * The result is sent back, as often as the limits allow; then the user is asked, and also after a requested
 * repair.
 */
export function repair(
  state: StageState,
  { reasons, asks }: Extract<StageEvent, { kind: "ValidationFailed" }>,
): StageState {
  const failed = { ...state, complaints: reasons };
  // How often a part may be sent back, its merge request decides.
  if (state.part) return sendBack(failed);
  const hasRoundsLeft = state.attempt - state.movedOn - state.askedFor < state.limits.repairRounds;
  return hasRoundsLeft && asks === "after-repairs" && state.askedFor === 0
    ? sendBack(failed)
    : move(failed, { stage: "validating", step: "ask" });
}

const sendBack = (state: StageState): StageState =>
  move({ ...state, attempt: state.attempt + 1 }, { stage: "integrating", step: "resolve" });

/** One more round, at the user's request. */
export const repairAsAsked = (
  state: StageState,
  { words, reasons = state.complaints }: Extract<StageEvent, { kind: "RepairAsked" }>,
): StageState =>
  sendBack({
    ...state,
    askedFor: state.askedFor + 1,
    complaints: words === "" ? reasons : [`The user: ${words}`, ...reasons],
  });

/** Also for a tie and a veto, which are not rejections. */
function notApproved({ attempt, complaints }: StageState): string {
  const rounds = attempt === 0 ? "1 round" : `${attempt + 1} rounds`;
  const sentences = complaints.map((one) => (/[.!?]$/u.test(one) ? one : `${one}.`));
  return `The result was not approved in ${rounds}: ${sentences.join(" ")}`;
}

/** Ends a run whose result may not land. */
export const rejected = (state: StageState, reason = notApproved(state)): StageState =>
  end(state, {
    stage: "failed",
    by: "rejection",
    reason,
    remedy: "Check the integration change and the votes, then start a run that fixes the reported problems.",
  });
