/**
 * The stages of a run as one pure function (PLAN-1). The engine journals an event, reduces it here, and
 * executes what `pending` returns; nothing about stages is decided anywhere else. Work is level-triggered:
 * `pending(state)` lists every action that should be running. An action has an id, is idempotent, and leaves
 * the list only through an event. That makes pause, crash and restart the same: whatever is pending and not
 * running is started.
 */
import { isSameWorkflow } from "../workflow/workflow.ts";
import { pending } from "./stage-actions.ts";
import {
  advance,
  amend,
  begin,
  end,
  integrate,
  integrated,
  move,
  rejected,
  release,
  reopen,
  repair,
  repairAsAsked,
  settle,
} from "./stage-moves.ts";
import { idleRun, isOver, type StageAction, type StageEvent, type StageState } from "./stage-state.ts";

/**
 * Reduces one event into a run. (PLAN-1)
 *
 * Total: an event that means nothing in a state leaves it as it is and is logged, because after a restart an event
 * may come a second time.
 *
 * @returns the next state, and the actions that begin with it (those pending now that were not before, and a log line).
 */
export function transition(
  state: StageState,
  event: StageEvent,
): readonly [StageState, readonly StageAction[]] {
  const next = nextStage(state, event);
  const line: StageAction = { id: `log/${event.kind}`, kind: "LogActivity", text: tell(state, next, event) };
  if (next === state) return [state, [line]];
  const before = new Set(pending(state).map((action) => action.id));
  return [next, [line, ...pending(next).filter((action) => !before.has(action.id))]];
}

function tell(before: StageState, after: StageState, event: StageEvent): string {
  const from = before.current.stage;
  const to = after.current.stage;
  if (before === after) return `${event.kind} changes nothing in ${from}`;
  return from === to ? `${event.kind} in ${to}` : `${event.kind}: ${from} → ${to}`;
}

/** The stage after an event; the same where the event changes nothing. */
export function nextStage(state: StageState, event: StageEvent): StageState {
  const { current } = state;
  // A part that is complete is worked on again when a decision contradicts what it made, or its parent sends it back;
  // a run never is.
  const again =
    state.part &&
    current.stage === "complete" &&
    (event.kind === "TaskReopened" ||
      event.kind === "IntegrationConflict" ||
      event.kind === "ValidationFailed");
  if (isOver(state) && !again) return state;
  const running = current.stage !== "idle";
  switch (event.kind) {
    case "StartOrchestration":
      return running
        ? state
        : move(
            { ...idleRun, limits: event.limits, part: event.part === true },
            event.watch ? { stage: "watching" } : { stage: "planning", round: 1 },
          );
    case "PlanRejected":
      return current.stage === "planning"
        ? move(state, { stage: "planning", round: current.round + 1 })
        : state;
    case "PlanningComplete":
      return current.stage === "planning" ? begin(state, event.tasks) : state;
    case "WorkflowChosen":
      return running && !isSameWorkflow(state.workflow, event.workflow)
        ? { ...state, workflow: event.workflow }
        : state;
    case "PlanAmended":
      return amend(state, event);
    case "ContractsComplete":
      return current.stage === "executing" && current.phase === 0 && !current.settled
        ? move(state, { ...current, settled: true })
        : state;
    case "TaskComplete":
      return settle(state, event.task, "done");
    case "TaskAbandoned":
      return settle(state, event.task, "abandoned");
    case "TaskReopened":
      return reopen(state, event.task);
    case "PhaseReleased":
    case "PhaseComplete":
    case "AllTasksComplete":
      return endPhase(state, event);
    case "IntegrationReady":
    case "IntegrationConflict":
    case "IntegrationClean":
    case "IntegrationUnneeded":
    case "ValidationPassed":
    case "ValidationFailed":
    case "VerdictVoided":
    case "RepairAsked":
    case "ResultRejected":
    case "LearningComplete":
    case "TrunkMoved":
    case "LandingComplete":
      return bringTogether(state, event);
    case "HumanAsked":
    case "HumanAnswered":
    case "Pause":
    case "Resume":
    case "BudgetExhausted":
    case "BudgetExtended":
    case "Stop":
    case "Error":
      return steer(state, event);
    default: {
      const never: never = event;
      return never;
    }
  }
}

/** Only a settled phase ends, and only once. */
function endPhase(
  state: StageState,
  event: Extract<StageEvent, { kind: "PhaseReleased" | "PhaseComplete" | "AllTasksComplete" }>,
): StageState {
  const { current } = state;
  if (current.stage !== "executing" || !current.settled) return state;
  if (event.kind === "AllTasksComplete")
    return state.tasks.some((one) => one.state === "open") ? state : integrate(state);
  if (current.phase !== event.phase) return state;
  return event.kind === "PhaseReleased" ? release(state) : advance(state, event.phase);
}

/** What becomes of the tasks together: integration, validation, learning, landing. */
function bringTogether(
  state: StageState,
  event: Extract<
    StageEvent,
    {
      kind:
        | "IntegrationReady"
        | "IntegrationConflict"
        | "IntegrationClean"
        | "IntegrationUnneeded"
        | "ValidationPassed"
        | "ValidationFailed"
        | "VerdictVoided"
        | "RepairAsked"
        | "ResultRejected"
        | "LearningComplete"
        | "TrunkMoved"
        | "LandingComplete";
    }
  >,
): StageState {
  const { current } = state;
  switch (event.kind) {
    case "IntegrationReady":
      return current.stage === "integrating" && current.step === "merge"
        ? move(state, { stage: "integrating", step: "resolve" })
        : state;
    case "IntegrationConflict":
      return current.stage === "integrating" || current.stage === "complete"
        ? move(state, { stage: "integrating", step: "resolve" })
        : state;
    case "IntegrationClean":
      return current.stage === "integrating" && current.step === "resolve" ? integrated(state) : state;
    case "IntegrationUnneeded":
      return current.stage === "integrating" &&
        current.step === "merge" &&
        state.workflow !== null &&
        state.workflow.integrator.mode !== "on"
        ? integrated(state)
        : state;
    case "ValidationPassed":
      return current.stage === "validating"
        ? move({ ...state, complaints: [] }, { stage: "learning" })
        : state;
    case "ValidationFailed":
      return (current.stage === "validating" && current.step === "judge") || current.stage === "complete"
        ? repair(state, event)
        : state;
    case "VerdictVoided":
      return isAsking(current)
        ? move({ ...state, voided: state.voided + 1, complaints: [] }, { stage: "validating", step: "judge" })
        : state;
    case "RepairAsked":
      return isAsking(current) || current.stage === "landing" ? repairAsAsked(state, event) : state;
    case "ResultRejected":
      if (event.reason !== undefined) return current.stage === "idle" ? state : rejected(state, event.reason);
      return isAsking(current) ? rejected(state) : state;
    case "LearningComplete":
      return current.stage === "learning" ? move(state, { stage: "landing" }) : state;
    case "TrunkMoved":
      // No rejection: a repair that others made necessary takes none of the rounds that the result has.
      return current.stage === "landing"
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
      return current.stage === "landing" ? end(state, { stage: "complete" }) : state;
  }
}

const isAsking = (current: StageState["current"]): boolean =>
  current.stage === "validating" && current.step === "ask";

/** What people and limits say of a run, whatever its stage. */
function steer(
  state: StageState,
  event: Extract<
    StageEvent,
    {
      kind:
        | "HumanAsked"
        | "HumanAnswered"
        | "Pause"
        | "Resume"
        | "BudgetExhausted"
        | "BudgetExtended"
        | "Stop"
        | "Error";
    }
  >,
): StageState {
  const running = state.current.stage !== "idle";
  switch (event.kind) {
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
      if (!running || state.pause === "user" || state.pauseFollows) return state;
      // The budget's question stays open, and its answer does not resume what the user stopped.
      return state.pause === "budget" ? { ...state, pauseFollows: true } : { ...state, pause: "user" };
    case "Resume":
      if (state.pauseFollows) return { ...state, pauseFollows: false };
      return state.pause === "user" ? { ...state, pause: "none" } : state;
    case "BudgetExhausted":
      // A paused run spends nothing; it meets its budget when it is resumed.
      return running && state.pause === "none"
        ? { ...state, pause: "budget", budgetStops: state.budgetStops + 1 }
        : state;
    case "BudgetExtended":
      return state.pause === "budget"
        ? { ...state, pause: state.pauseFollows ? "user" : "none", pauseFollows: false }
        : state;
    case "Stop":
      return running ? end(state, { stage: "stopped", by: event.by }) : state;
    case "Error":
      return running
        ? end(state, { stage: "failed", by: "error", reason: event.reason, remedy: event.remedy })
        : state;
  }
}
