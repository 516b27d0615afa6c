/**
 * The course of a run as one pure function (PLAN-1). The engine journals an event, folds it in here, and carries
 * out what `pending` says; nothing about the course of a run is decided anywhere else.
 *
 * Work is level-triggered: `pending(state)` names every action that should be going on in a state. An action has an
 * id, is safe to begin again, and leaves the list only through an event. That makes pause, crash and restart one
 * and the same thing: whatever is pending and not running is started.
 */

/** One task as the course of the run knows it; all else about it stands in jj. */
export interface TaskProgress {
  readonly task: string;
  readonly phase: number;
  /** Tasks that must be done before. */
  readonly after: readonly string[];
  readonly state: "open" | "done" | "abandoned";
  /** Rises when a decision contradicts work that was done already, so that the task is worked on again. */
  readonly round: number;
}

export type Course =
  | { readonly stage: "idle" }
  /** `round` rises with every plan that was rejected. */
  | { readonly stage: "planning"; readonly round: number }
  /** Phase 0 is the contracts; `settled` waits for a person's word to advance when auto-advance is off. */
  | { readonly stage: "executing"; readonly phase: number; readonly settled: boolean }
  | { readonly stage: "integrating"; readonly step: "merge" | "resolve" }
  | { readonly stage: "validating" }
  | { readonly stage: "learning" }
  | { readonly stage: "landing" }
  | { readonly stage: "complete" }
  | { readonly stage: "failed"; readonly reason: string; readonly remedy: string }
  | { readonly stage: "stopped" };

/** The course with what may lie around any part of it: a pause, and questions to a person. */
export interface RunState {
  readonly course: Course;
  readonly tasks: readonly TaskProgress[];
  readonly hold: "none" | "person" | "budget";
  /** Ids of the questions that wait for a person (AwaitingHuman). */
  readonly awaiting: readonly string[];
  /** Repair rounds after failed validations; 0 is the first attempt. */
  readonly attempt: number;
  /** Why the last validation failed, for whoever repairs. */
  readonly complaints: readonly string[];
  /** Rises with every budget stop, so that each has a question of its own. */
  readonly budgetStops: number;
  readonly limits: { readonly repairRounds: number; readonly autoAdvance: boolean };
}

export type RunEvent =
  | { readonly kind: "StartOrchestration"; readonly limits: RunState["limits"] }
  | { readonly kind: "PlanRejected" }
  | {
      readonly kind: "PlanningComplete";
      readonly tasks: readonly Pick<TaskProgress, "task" | "phase" | "after">[];
    }
  | { readonly kind: "ContractsComplete" }
  | { readonly kind: "TaskComplete"; readonly task: string }
  /** A person abandoned the task's change. */
  | { readonly kind: "TaskAbandoned"; readonly task: string }
  /** A decision contradicts work that was done. */
  | { readonly kind: "TaskReopened"; readonly task: string }
  | { readonly kind: "PhaseComplete"; readonly phase: number }
  | { readonly kind: "IntegrationReady" }
  | { readonly kind: "IntegrationClean" }
  | { readonly kind: "ValidationPassed" }
  | { readonly kind: "ValidationFailed"; readonly reasons: readonly string[] }
  | { readonly kind: "LearningComplete" }
  | { readonly kind: "LandingComplete" }
  | { readonly kind: "HumanAsked"; readonly id: string }
  | { readonly kind: "HumanAnswered"; readonly id: string }
  | { readonly kind: "Pause" }
  | { readonly kind: "Resume" }
  | { readonly kind: "BudgetExhausted" }
  | { readonly kind: "BudgetExtended" }
  | { readonly kind: "Stop" }
  | { readonly kind: "Error"; readonly reason: string; readonly remedy: string };

export type RunAction = { readonly id: string } & (
  | { readonly kind: "SpawnPlanningAgent"; readonly round: number }
  | { readonly kind: "WriteContracts" }
  | { readonly kind: "SpawnTaskAgent"; readonly task: string; readonly round: number }
  | { readonly kind: "CreateMerge" }
  | { readonly kind: "ResolveConflicts"; readonly attempt: number }
  | { readonly kind: "SpawnValidators"; readonly attempt: number }
  | { readonly kind: "RecordPattern" }
  | { readonly kind: "Land" }
  | { readonly kind: "AskForBudget"; readonly stop: number }
  | { readonly kind: "LogActivity"; readonly text: string }
);

export const idleRun: RunState = {
  course: { stage: "idle" },
  tasks: [],
  hold: "none",
  awaiting: [],
  attempt: 0,
  complaints: [],
  budgetStops: 0,
  limits: { repairRounds: 2, autoAdvance: true },
};

/** True when nothing can happen to a run any more. */
export const isOver = (state: RunState): boolean =>
  state.course.stage === "complete" || state.course.stage === "failed" || state.course.stage === "stopped";

/**
 * Every action that should be going on in a state, in the order in which it should begin. (PLAN-1c)
 * Which of the ready tasks gets the next free agent is the engine's choice, by priority and rank.
 */
export function pending(state: RunState): readonly RunAction[] {
  const { course } = state;
  if (isOver(state) || course.stage === "idle") return [];
  if (state.hold === "person") return [];
  if (state.hold === "budget")
    return [{ id: `budget/${state.budgetStops}`, kind: "AskForBudget", stop: state.budgetStops }];
  switch (course.stage) {
    case "planning":
      return [{ id: `plan/${course.round}`, kind: "SpawnPlanningAgent", round: course.round }];
    case "executing":
      if (course.phase === 0) return [{ id: "contracts", kind: "WriteContracts" }];
      return readyTasks(state, course.phase).map(spawn);
    case "integrating":
      return course.step === "merge"
        ? [{ id: "merge", kind: "CreateMerge" }]
        : [{ id: `integrate/${state.attempt}`, kind: "ResolveConflicts", attempt: state.attempt }];
    case "validating":
      return [{ id: `validate/${state.attempt}`, kind: "SpawnValidators", attempt: state.attempt }];
    case "learning":
      return [{ id: "learn", kind: "RecordPattern" }];
    case "landing":
      return [{ id: "land", kind: "Land" }];
    case "complete":
    case "failed":
    case "stopped":
      return [];
    default: {
      const never: never = course;
      return never;
    }
  }
}

const spawn = (task: TaskProgress): RunAction => ({
  id: `task/${task.task}/${task.round}`,
  kind: "SpawnTaskAgent",
  task: task.task,
  round: task.round,
});

function readyTasks(state: RunState, phase: number): readonly TaskProgress[] {
  const open = new Set(state.tasks.filter((one) => one.state === "open").map((one) => one.task));
  return state.tasks.filter(
    (one) => one.phase <= phase && one.state === "open" && !one.after.some((before) => open.has(before)),
  );
}

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
  const line: RunAction = {
    id: `log/${event.kind}`,
    kind: "LogActivity",
    text:
      next === state
        ? `${event.kind} changes nothing in ${state.course.stage}`
        : courseLine(state, next, event),
  };
  if (next === state) return [state, [line]];
  const before = new Set(pending(state).map((action) => action.id));
  return [next, [line, ...pending(next).filter((action) => !before.has(action.id))]];
}

function courseLine(before: RunState, after: RunState, event: RunEvent): string {
  return before.course.stage === after.course.stage
    ? `${event.kind} in ${after.course.stage}`
    : `${event.kind}: ${before.course.stage} → ${after.course.stage}`;
}

function fold(state: RunState, event: RunEvent): RunState {
  if (isOver(state)) return state;
  const { course } = state;
  const running = course.stage !== "idle";
  switch (event.kind) {
    case "StartOrchestration":
      return running ? state : { ...idleRun, limits: event.limits, course: { stage: "planning", round: 1 } };
    case "PlanRejected":
      return course.stage === "planning"
        ? { ...state, course: { stage: "planning", round: course.round + 1 } }
        : state;
    case "PlanningComplete":
      if (course.stage !== "planning" || event.tasks.length === 0) return state;
      return {
        ...state,
        tasks: event.tasks.map((one) => ({
          task: one.task,
          phase: one.phase,
          after: one.after,
          state: "open",
          round: 1,
        })),
        course: { stage: "executing", phase: 0, settled: false },
      };
    case "ContractsComplete":
      return course.stage === "executing" && course.phase === 0 ? advance(state, 0) : state;
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
    case "IntegrationReady":
      return course.stage === "integrating" && course.step === "merge"
        ? { ...state, course: { stage: "integrating", step: "resolve" } }
        : state;
    case "IntegrationClean":
      return course.stage === "integrating" && course.step === "resolve"
        ? { ...state, course: { stage: "validating" } }
        : state;
    case "ValidationPassed":
      return course.stage === "validating"
        ? { ...state, complaints: [], course: { stage: "learning" } }
        : state;
    case "ValidationFailed":
      if (course.stage !== "validating") return state;
      if (state.attempt >= state.limits.repairRounds)
        return end(state, {
          stage: "failed",
          reason: `Validation rejected the result ${state.attempt + 1} times: ${event.reasons.join("; ")}`,
          remedy:
            "Look at the integration change and the votes, then start a run that repairs what they name.",
        });
      return {
        ...state,
        attempt: state.attempt + 1,
        complaints: event.reasons,
        course: { stage: "integrating", step: "resolve" },
      };
    case "LearningComplete":
      return course.stage === "learning" ? { ...state, course: { stage: "landing" } } : state;
    case "LandingComplete":
      return course.stage === "landing" ? end(state, { stage: "complete" }) : state;
    case "HumanAsked":
      return !running || state.awaiting.includes(event.id)
        ? state
        : { ...state, awaiting: [...state.awaiting, event.id] };
    case "HumanAnswered":
      return state.awaiting.includes(event.id)
        ? { ...state, awaiting: state.awaiting.filter((id) => id !== event.id) }
        : state;
    case "Pause":
      return running && state.hold === "none" ? { ...state, hold: "person" } : state;
    case "Resume":
      return state.hold === "person" ? { ...state, hold: "none" } : state;
    case "BudgetExhausted":
      // A paused run spends nothing; it meets its budget when it is resumed.
      return running && state.hold === "none"
        ? { ...state, hold: "budget", budgetStops: state.budgetStops + 1 }
        : state;
    case "BudgetExtended":
      return state.hold === "budget" ? { ...state, hold: "none" } : state;
    case "Stop":
      return running ? end(state, { stage: "stopped" }) : state;
    case "Error":
      return running ? end(state, { stage: "failed", reason: event.reason, remedy: event.remedy }) : state;
    default: {
      const never: never = event;
      return never;
    }
  }
}

const end = (state: RunState, course: Course): RunState => ({ ...state, course, hold: "none", awaiting: [] });

function settle(state: RunState, task: string, how: "done" | "abandoned"): RunState {
  const { course } = state;
  if (course.stage !== "executing" || course.phase === 0) return state;
  if (!state.tasks.some((one) => one.task === task && one.state === "open")) return state;
  const next: RunState = {
    ...state,
    tasks: state.tasks.map((one) => (one.task === task ? { ...one, state: how } : one)),
  };
  if (next.tasks.some((one) => one.phase <= course.phase && one.state === "open")) return next;
  return next.limits.autoAdvance
    ? advance(next, course.phase)
    : { ...next, course: { ...course, settled: true } };
}

function reopen(state: RunState, task: string): RunState {
  const { course } = state;
  if (course.stage !== "executing" && course.stage !== "integrating") return state;
  const found = state.tasks.find((one) => one.task === task && one.state === "done");
  if (!found) return state;
  return {
    ...state,
    tasks: state.tasks.map((one) =>
      one.task === task ? { ...one, state: "open", round: one.round + 1 } : one,
    ),
    // The integration is made anew from what the task becomes.
    course: {
      stage: "executing",
      phase: course.stage === "executing" ? Math.max(course.phase, found.phase) : found.phase,
      settled: false,
    },
  };
}

/** To the next phase that holds open tasks; phases without any are passed over, and after the last comes integration. */
function advance(state: RunState, from: number): RunState {
  const left = state.tasks.filter((one) => one.state === "open" && one.phase > from).map((one) => one.phase);
  if (left.length > 0)
    return { ...state, course: { stage: "executing", phase: Math.min(...left), settled: false } };
  if (!state.tasks.some((one) => one.state === "done"))
    return end(state, {
      stage: "failed",
      reason: "Every task of the plan was abandoned, so there is nothing to integrate.",
      remedy: "Start a new run with another plan.",
    });
  return { ...state, course: { stage: "integrating", step: "merge" } };
}
