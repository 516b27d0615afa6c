/**
 * The course of a run as one pure function (PLAN-1). The engine journals an event, folds it in here, and carries
 * out what `pending` says; nothing about the course of a run is decided anywhere else.
 *
 * Work is level-triggered: `pending(state)` names every action that should be going on in a state. An action has an
 * id, is safe to begin again, and leaves the list only through an event. That makes pause, crash and restart one
 * and the same thing: whatever is pending and not running is started.
 */
import { sameCeremony } from "../ceremony/ceremony-rules.ts";
import { amendedTasks, type PlanAmended } from "../plan/plan-amended.ts";
import { pending } from "./run-actions.ts";
import { type Course, idleRun, isOver, type RunAction, type RunEvent, type RunState } from "./run-state.ts";

/**
 * Folds one event into a run. (PLAN-1)
 *
 * Total: an event that means nothing in a state leaves it as it is and is logged, because after a restart an event
 * may come a second time.
 *
 * @returns the next state, and the actions that begin with it (those pending now that were not before, and a log line).
 */
export function transition(state: RunState, event: RunEvent): readonly [RunState, readonly RunAction[]] {
  const next = fold(state, event);
  const line: RunAction = { id: `log/${event.kind}`, kind: "LogActivity", text: tell(state, next, event) };
  if (next === state) return [state, [line]];
  const before = new Set(pending(state).map((action) => action.id));
  return [next, [line, ...pending(next).filter((action) => !before.has(action.id))]];
}

/**
 * The state that a journal's events come to. Runs from before version 2 advanced without an event: it is put in where
 * they did, and where such a run went on under this version, the one that stands there as well changes nothing.
 */
export function replay(events: readonly RunEvent[]): RunState {
  let state = idleRun;
  let version: number | undefined;
  for (const event of events) {
    if (event.kind === "StartOrchestration") version = event.version;
    state = fold(state, event);
    const { course, limits } = state;
    if (version !== undefined || course.stage !== "executing" || !course.settled) continue;
    if (limits.autoAdvance || course.phase === 0)
      state = fold(state, { kind: "PhaseComplete", phase: course.phase });
  }
  return state;
}

function tell(before: RunState, after: RunState, event: RunEvent): string {
  const from = before.course.stage;
  const to = after.course.stage;
  if (before === after) return `${event.kind} changes nothing in ${from}`;
  return from === to ? `${event.kind} in ${to}` : `${event.kind}: ${from} → ${to}`;
}

function fold(state: RunState, event: RunEvent): RunState {
  const { course } = state;
  // A part that is complete is worked on again when a decision contradicts what it made, or its parent sends it back;
  // a run never is.
  const again =
    state.part &&
    course.stage === "complete" &&
    (event.kind === "TaskReopened" ||
      event.kind === "IntegrationConflict" ||
      event.kind === "ValidationFailed");
  if (isOver(state) && !again) return state;
  const running = course.stage !== "idle";
  switch (event.kind) {
    case "StartOrchestration":
      return running
        ? state
        : move(
            { ...idleRun, limits: event.limits, part: event.part === true },
            { stage: "planning", round: 1 },
          );
    case "PlanRejected":
      return course.stage === "planning"
        ? move(state, { stage: "planning", round: course.round + 1 })
        : state;
    case "PlanningComplete":
      return course.stage === "planning" ? begin(state, event.tasks) : state;
    case "CeremonyChosen":
      return running && !sameCeremony(state.ceremony, event.ceremony)
        ? { ...state, ceremony: event.ceremony }
        : state;
    case "PlanAmended":
      return amend(state, event);
    case "ContractsComplete":
      return course.stage === "executing" && course.phase === 0 && !course.settled
        ? move(state, { ...course, settled: true })
        : state;
    case "TaskComplete":
      return settle(state, event.task, "done");
    case "TaskAbandoned":
      return settle(state, event.task, "abandoned");
    case "TaskReopened":
      return reopen(state, event.task);
    case "PhaseComplete":
      return course.stage === "executing" && course.settled && course.phase === event.phase
        ? advance(state, event.phase)
        : state;
    case "AllTasksComplete":
      return course.stage === "executing" &&
        course.settled &&
        !state.tasks.some((one) => one.state === "open")
        ? integrate(state)
        : state;
    case "IntegrationReady":
      return course.stage === "integrating" && course.step === "merge"
        ? move(state, { stage: "integrating", step: "resolve" })
        : state;
    case "IntegrationConflict":
      return course.stage === "integrating" || course.stage === "complete"
        ? move(state, { stage: "integrating", step: "resolve" })
        : state;
    case "IntegrationClean":
      return course.stage === "integrating" && course.step === "resolve" ? integrated(state) : state;
    case "IntegrationUnneeded":
      return course.stage === "integrating" &&
        course.step === "merge" &&
        state.ceremony?.integrator.value === "needed"
        ? integrated(state)
        : state;
    case "ValidationPassed":
      return course.stage === "validating"
        ? move({ ...state, complaints: [] }, { stage: "learning" })
        : state;
    case "ValidationFailed":
      return course.stage === "validating" || course.stage === "complete"
        ? repair(state, event.reasons)
        : state;
    case "LearningComplete":
      return course.stage === "learning" ? move(state, { stage: "landing" }) : state;
    case "TrunkMoved":
      // No rejection: a repair that others made necessary takes none of the rounds that the result has.
      return course.stage === "landing"
        ? move(
            {
              ...state,
              attempt: state.attempt + 1,
              movedOn: state.movedOn + 1,
              complaints: event.reasons,
            },
            { stage: "integrating", step: "resolve" },
          )
        : state;
    case "LandingComplete":
      return course.stage === "landing" ? end(state, { stage: "complete" }) : state;
    case "HumanAsked":
      return !running || state.awaiting.includes(event.id) || state.answered.includes(event.id)
        ? state
        : { ...state, awaiting: [...state.awaiting, event.id] };
    case "HumanAnswered":
      return !running || state.answered.includes(event.id)
        ? state
        : {
            ...state,
            awaiting: state.awaiting.filter((id) => id !== event.id),
            answered: [...state.answered, event.id],
          };
    case "Pause":
      if (!running || state.hold === "person" || state.pauseFollows) return state;
      // The budget's question stays on the table, and its answer does not set going what a person stopped.
      return state.hold === "budget" ? { ...state, pauseFollows: true } : { ...state, hold: "person" };
    case "Resume":
      if (state.pauseFollows) return { ...state, pauseFollows: false };
      return state.hold === "person" ? { ...state, hold: "none" } : state;
    case "BudgetExhausted":
      // A paused run spends nothing; it meets its budget when it is resumed.
      return running && state.hold === "none"
        ? { ...state, hold: "budget", budgetStops: state.budgetStops + 1 }
        : state;
    case "BudgetExtended":
      return state.hold === "budget"
        ? { ...state, hold: state.pauseFollows ? "person" : "none", pauseFollows: false }
        : state;
    case "Stop":
      return running ? end(state, { stage: "stopped", by: event.by }) : state;
    case "Error":
      return running
        ? end(state, { stage: "failed", by: "error", reason: event.reason, remedy: event.remedy })
        : state;
    default: {
      const never: never = event;
      return never;
    }
  }
}

/** Every change of the course goes through here, so that no id of an action comes a second time. */
const move = (state: RunState, course: Course): RunState => ({ ...state, course, moves: state.moves + 1 });

const end = (state: RunState, course: Course): RunState => ({
  ...move(state, course),
  hold: "none",
  pauseFollows: false,
  awaiting: [],
});

/** Takes the plan's tasks over. Phases before the first are none, and a task that is named twice is one. */
function begin(state: RunState, planned: Extract<RunEvent, { kind: "PlanningComplete" }>["tasks"]): RunState {
  if (planned.length === 0) return state;
  const tasks = new Map<string, RunState["tasks"][number]>();
  for (const { task, phase, after } of planned)
    if (!tasks.has(task))
      tasks.set(task, { task, phase: Math.max(1, phase), after, state: "open", round: 1 });
  const all = [...tasks.values()];
  const first = state.ceremony?.contracts.value === "none" ? Math.min(...all.map(({ phase }) => phase)) : 0;
  return move({ ...state, tasks: all }, { stage: "executing", phase: first, settled: false });
}

function settle(state: RunState, task: string, how: "done" | "abandoned"): RunState {
  const { course } = state;
  // Nothing can be done while the contracts are written; what is abandoned then will not begin.
  if (course.stage !== "executing" || (course.phase === 0 && how === "done")) return state;
  if (!state.tasks.some((one) => one.task === task && one.state === "open")) return state;
  const next: RunState = {
    ...state,
    tasks: state.tasks.map((one) => (one.task === task ? { ...one, state: how } : one)),
  };
  if (course.settled || course.phase === 0) return next;
  return next.tasks.some((one) => one.phase <= course.phase && one.state === "open")
    ? next
    : move(next, { ...course, settled: true });
}

/** A phase that was settled is worked on again when a task comes to it, and settles when its last one goes. */
function amend(state: RunState, event: PlanAmended): RunState {
  const { course } = state;
  if (course.stage !== "executing" && course.stage !== "integrating") return state;
  const tasks = amendedTasks(state.tasks, event);
  if (tasks === state.tasks) return state;
  const next = { ...state, tasks };
  const open = tasks.filter((one) => one.state === "open").map((one) => one.phase);
  if (course.stage === "integrating")
    // What has come joins the others, and the integration is made anew of them all.
    return open.length === 0
      ? next
      : move(next, { stage: "executing", phase: Math.min(...open), settled: false });
  if (course.phase === 0) return next;
  const settled = !open.some((phase) => phase <= course.phase);
  return settled === course.settled ? next : move(next, { ...course, settled });
}

function reopen(state: RunState, task: string): RunState {
  const { course } = state;
  if (course.stage !== "executing" && course.stage !== "integrating" && course.stage !== "complete")
    return state;
  const found = state.tasks.find((one) => one.task === task && one.state === "done");
  if (!found) return state;
  const tasks = state.tasks.map((one) =>
    one.task === task ? { ...one, state: "open" as const, round: one.round + 1 } : one,
  );
  // The integration is made anew from what the task becomes.
  const phase = course.stage === "executing" ? Math.max(course.phase, found.phase) : found.phase;
  return move({ ...state, tasks }, { stage: "executing", phase, settled: false });
}

/** To the next phase that holds open tasks; phases without any are passed over, and after the last comes integration. */
function advance(state: RunState, from: number): RunState {
  const left = state.tasks.filter((one) => one.state === "open" && one.phase > from).map((one) => one.phase);
  return left.length > 0
    ? move(state, { stage: "executing", phase: Math.min(...left), settled: false })
    : integrate(state);
}

function integrate(state: RunState): RunState {
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
const integrated = (state: RunState): RunState =>
  state.part ? end(state, { stage: "complete" }) : move(state, { stage: "validating" });

function repair(state: RunState, reasons: readonly string[]): RunState {
  // How often a part may be sent back, its fold decides.
  if (state.part || state.attempt - state.movedOn < state.limits.repairRounds)
    return move(
      { ...state, attempt: state.attempt + 1, complaints: reasons },
      { stage: "integrating", step: "resolve" },
    );
  return end(state, {
    stage: "failed",
    by: "rejection",
    reason: `Validation rejected the result ${state.attempt + 1} times: ${reasons.join("; ")}`,
    remedy: "Look at the integration change and the votes, then start a run that repairs what they name.",
  });
}
