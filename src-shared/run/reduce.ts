import { reduceArchangels, wakeArchangels } from "../domain/archangel/archangel-events.ts";
import { reduceDecisions } from "../domain/decision/decision-events.ts";
import { reduceDependencies, withdrawAskedBy } from "../domain/dependencies/dependency-events.ts";
import { addProtectedChange } from "../domain/files/protected-changes.ts";
import { joinMessages } from "../domain/messages/message-view.ts";
import { reducePreflight } from "../domain/project/preflight.ts";
import { type Stages, stageOf } from "../domain/run/stage-state.ts";
import { nextStage } from "../domain/run/transition.ts";
import { reduceTimeline } from "../domain/timeline/reduce-timeline.ts";
import { reducePhaseChecks, withPhaseVerdict } from "../domain/validation/phase-checks.ts";
import { type RoundVote, reduceRounds, votesOfRound } from "../domain/validation/rounds.ts";
import type { RecordedEvent, RunEvent } from "./events.ts";
import { reduceSlices } from "./slices.ts";
import type { RunState } from "./state.ts";

/**
 * Adds an event to a run. Every slice reads every event and returns itself where the event is not about it. The timeline and
 * the archangels then compare the run before and after.
 *
 * @param at when the event was journalled, ms since 1970
 * @returns the same state for an event that says nothing new: such an event is not journalled
 */
export function reduceRun(run: RunState, event: RunEvent, at: number): RunState {
  const { proposals, decisions, compliance } = reduceDecisions(run, event);
  const next: RunState = {
    ...run,
    ...reduceSlices(run, event),
    proposals,
    decisions,
    compliance,
    stages: reduceStages(run.stages, event),
    archangels: reduceArchangels(run.archangels, event),
    failedRounds: reduceRounds(run.failedRounds, event, votesOnResult(run, event)),
    phaseChecks: reducePhaseChecks(run.phaseChecks, event, votesOfPhase(run, event)),
    ...ownChanges(run, event),
    ...messageChanges(run, event),
    ...projectChanges(run, event),
  };
  const keys = Object.keys(next) as (keyof RunState)[];
  if (keys.every((key) => Object.is(run[key], next[key]))) return run;
  const woken = { ...next, archangels: wakeArchangels(next.archangels, event) };
  return { ...woken, timeline: reduceTimeline(run.timeline, { before: run, after: woken, event, at }) };
}

/** Adds events in their order. */
export const replayRun = (from: RunState, events: Iterable<RecordedEvent>): RunState => {
  let run = from;
  for (const { at, event } of events) run = reduceRun(run, event, at);
  return run;
};

function reduceStages(stages: Stages, event: RunEvent): Stages {
  if (event.kind !== "StageMoved") return stages;
  const before = stageOf(stages, event.orchestrator);
  const after = nextStage(before, event.event);
  return after === before ? stages : { ...stages, [event.orchestrator]: after };
}

/** They were counted just before the verdict. */
const votesOnResult = ({ validation }: RunState, event: RunEvent): readonly RoundVote[] =>
  event.kind === "VerdictFailed" ? votesOfRound(validation?.seats ?? []) : [];

/** Where a check failed, the seats were asked about an earlier attempt. */
function votesOfPhase(run: RunState, event: RunEvent): readonly RoundVote[] {
  if (event.kind !== "PhaseSentBack" || event.verdict === "vetoed") return [];
  const counted = run.phaseVerdicts.find(
    ({ orchestrator, number }) => orchestrator === event.orchestrator && number === event.phase,
  );
  return votesOfRound(counted?.validation.seats ?? []);
}

/** Fields that are too small for a separate reducer. */
function ownChanges(run: RunState, event: RunEvent): Partial<RunState> {
  switch (event.kind) {
    case "BaseChosen":
      return { onto: event.onto, branch: event.branch };
    case "BaseMoved":
      return { onto: event.onto };
    case "TargetBranchChosen":
      return event.branch === run.branch || run.onto === null
        ? { branch: event.branch }
        : { branch: event.branch, onto: { ...run.onto, isOnBranch: false } };
    case "PatternsLoaded":
      return { patterns: event.patterns, goalContext: event.work };
    case "RunLimitsSet":
      return { limits: event.limits };
    case "AgentsAtOnceSet":
      return { maxParallelAgents: event.maxParallelAgents };
    case "IterationsSet":
      return { maxIterations: event.maxIterations };
    case "VotesCounted":
      return { validation: event.validation };
    case "PhaseVotesCounted":
      return { phaseVerdicts: withPhaseVerdict(run.phaseVerdicts, event.verdict) };
    case "MetricsMeasured":
      return { metrics: event.metrics };
    case "WorkerMeasured":
      return {
        metrics: [...run.metrics.filter(({ worker }) => worker !== event.metrics.worker), event.metrics],
      };
    case "RunScored":
      return { score: event.score, workerScores: event.workers };
    case "TroubleAnswered":
      return { troubles: { ...run.troubles, [event.of]: (run.troubles[event.of] ?? 0) + 1 } };
    case "HooksOwed":
      return { hasPendingHooks: true };
    case "HooksRun":
      return { hasPendingHooks: false };
    default:
      return {};
  }
}

function messageChanges(run: RunState, event: RunEvent): Partial<RunState> {
  switch (event.kind) {
    case "MessagesArchived":
      return run.messages === null ? { messages: event.messages } : {};
    case "MessagesPutAway":
      return { putAwayMessages: joinMessages(run.putAwayMessages, event.messages) };
    case "MessageSent":
      // Sent once, however often that was written down.
      return Object.hasOwn(run.messagesSentAt, event.message)
        ? {}
        : { messagesSentAt: { ...run.messagesSentAt, [event.message]: event.at } };
    default:
      return {};
  }
}

/** What the run knows of the project. */
function projectChanges(run: RunState, event: RunEvent): Partial<RunState> {
  switch (event.kind) {
    case "PreflightChanged":
      return { preflight: reducePreflight(run.preflight, event.event) };
    case "DependencyChanged":
      return { dependencies: reduceDependencies(run.dependencies, event.event) };
    case "QuestionsWithdrawn":
      return { dependencies: withdrawAskedBy(run.dependencies, event.worker) };
    case "PackagesInstalled":
      return { packages: event.packages };
    case "CopiesReported":
      return { isCopyNoticeSent: true };
    case "ProtectedChangeJudged":
      return {
        protectedChanges: addProtectedChange(run.protectedChanges, event.changeId, event.event),
      };
    default:
      return {};
  }
}

// The state after any number of a list's parts, without reducing all of them each time.

/** One state is cached for this many parts: a jump back begins at the nearest. */
const keptEvery = 128;

/** @returns the state after the first `count` parts; some states and the last one are cached */
export function keptStates<Part, State>(
  parts: readonly Part[],
  empty: State,
  reduce: (state: State, part: Part) => State,
  every = keptEvery,
): (count: number) => State {
  const kept: State[] = [empty];
  let last = { count: 0, state: empty };
  return (wanted) => {
    const count = Math.min(wanted, parts.length);
    const nearest = Math.min(Math.floor(count / every), kept.length - 1);
    const isNearer = last.count <= count && last.count >= nearest * every;
    let at = isNearer ? last.count : nearest * every;
    let state = isNearer ? last.state : (kept[nearest] ?? empty);
    for (; at < count; at++) {
      state = reduce(state, parts[at] as Part);
      if ((at + 1) % every === 0) kept[(at + 1) / every] ??= state;
    }
    last = { count, state };
    return state;
  };
}

/** Monotonic times of a list, for searching: a clock that went back counts as stopped. */
export function risingTimes(parts: readonly { readonly at: number }[]): Float64Array {
  const times = new Float64Array(parts.length);
  let newest = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < times.length; index++) {
    newest = Math.max(newest, parts[index]?.at ?? newest);
    times[index] = newest;
  }
  return times;
}

/** How many of them were not later than `at`. */
export function countUpTo(times: Float64Array, at: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
