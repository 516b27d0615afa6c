import {
  type ArchangelEvent,
  reduceArchangels,
  type WakingEvent,
} from "#shared/domain/archangel/archangel-events.ts";
import {
  type AttemptEvent,
  type AttemptReassigned,
  reduceAttempts,
} from "#shared/domain/attempt/attempt-events.ts";
import { type DecisionEvent, reduceDecisions } from "#shared/domain/decision/decision-events.ts";
import { withdrawAskedBy } from "#shared/domain/dependencies/dependency-events.ts";
import { type CallerEnd, type ForkEvent, reduceForks } from "#shared/domain/fork/fork-events.ts";
import { type LabelEvent, reduceLabels } from "#shared/domain/labels/labels.ts";
import { type LandingEvent, reduceLanding } from "#shared/domain/landing/landing-events.ts";
import { type NewsEvent, reduceNews } from "#shared/domain/news/news-events.ts";
import { reduceTodos, type TodoEnd, type TodoEvent } from "#shared/domain/orientation/todo-events.ts";
import { type PatternUseEvent, reducePatternUse } from "#shared/domain/patterns/pattern-use.ts";
import { type PlanEvent, reducePlans } from "#shared/domain/plan/plan-events.ts";
import { type QuestionEvent, reduceQuestions } from "#shared/domain/question/questions.ts";
import { isRestoreEvent, reduceRestoring } from "#shared/domain/run/restore-events.ts";
import { type OutsideTurnEvent, reduceSessionTurns } from "#shared/domain/sessions/session-turns.ts";
import { isStandstillEvent, reduceStandstill } from "#shared/domain/standstill/standstill-events.ts";
import { reduceRounds, votesOfRound } from "#shared/domain/validation/failed-rounds.ts";
import {
  isOfPhase,
  type PhaseCheckEvent,
  reducePhaseChecks,
  withPhaseVerdict,
} from "#shared/domain/validation/phase-checks.ts";
import { reduceWorkers } from "#shared/domain/worker/reduce-workers.ts";
import { kindsOf } from "./kinds-of.ts";
import { reduceMessages } from "./reduce-messages.ts";
import { isProjectEvent, projectChanges } from "./reduce-project.ts";
import type {
  BaseEvent,
  HookEvent,
  MessageEvent,
  ModelEvent,
  ResultEvent,
  RunLimitEvent,
  TroubleEvent,
} from "./run-events.ts";
import { emptyModel, type RunModel } from "./run-model.ts";

/**
 * What an event makes of a run: each concept's own reducer hears all of them. Total: one that says nothing new answers
 * with the same model.
 */
export function reduceModel(model: RunModel, event: ModelEvent): RunModel {
  const { decisions, standings } = isDecisionEvent(event) ? reduceDecisions(model, event) : model;
  const after: RunModel = {
    ...model,
    workers: isOfWorkers(event) ? reduceWorkers(model.workers, event) : model.workers,
    orchestrators: isPlanEvent(event) ? reducePlans(model.orchestrators, event) : model.orchestrators,
    attempts: isOfAttempts(event) ? reduceAttempts(model.attempts, event) : model.attempts,
    questions: isQuestionEvent(event) ? reduceQuestions(model.questions, event) : model.questions,
    news: isNewsEvent(event) ? reduceNews(model.news, event) : model.news,
    labels: isLabelEvent(event) ? reduceLabels(model.labels, event) : model.labels,
    standstill: reduceStandstill(model.standstill, event),
    forks: isOfForks(event) ? reduceForks(model.forks, event) : model.forks,
    todos: isOfTodos(event) ? reduceTodos(model.todos, event) : model.todos,
    sessionTurns: isSessionEvent(event) ? reduceSessionTurns(model.sessionTurns, event) : model.sessionTurns,
    patternsTold: isPatternUse(event) ? reducePatternUse(model.patternsTold, event) : model.patternsTold,
    archangels: isArchangelEvent(event) ? reduceArchangels(model.archangels, event) : model.archangels,
    phaseChecks: isOfPhase(event)
      ? reducePhaseChecks(model.phaseChecks, withVotes(model, event))
      : model.phaseChecks,
    restoring: reduceRestoring(model.restoring, event),
    landing: isLandingEvent(event) ? reduceLanding(model.landing, event) : model.landing,
    dependencies:
      event.kind === "QuestionsWithdrawn"
        ? withdrawAskedBy(model.dependencies, event.worker)
        : model.dependencies,
    decisions,
    standings,
    ...ownChanges(model, event),
    ...(isProjectEvent(event) ? projectChanges(model, event) : {}),
  };
  const keys = Object.keys(after) as (keyof RunModel)[];
  if (keys.every((key) => Object.is(model[key], after[key]))) return model;
  // What says nothing new wakes nobody.
  return mayWake(event) ? { ...after, archangels: reduceArchangels(after.archangels, event) } : after;
}

/** What events come to, from the beginning. */
export const replayModel = (events: Iterable<ModelEvent>): RunModel => {
  let model = emptyModel;
  for (const event of events) model = reduceModel(model, event);
  return model;
};

const isPlanEvent = kindsOf<PlanEvent>({
  PlanProposed: true,
  PlanApproved: true,
  PlanRefused: true,
  TouchingFound: true,
  PlanRevised: true,
  AmendmentBegun: true,
  AmendmentFinished: true,
  ContractsWritten: true,
  ContractsCorrected: true,
  BaseCreated: true,
  IntegrationCreated: true,
  MergedChecked: true,
  TrunkExtended: true,
  TrunkLeft: true,
});
const isOfAttempts = kindsOf<Extract<ModelEvent, AttemptEvent | AttemptReassigned>>({
  AttemptAdded: true,
  AttemptChosen: true,
  OthersAbandoned: true,
  ChoiceUndone: true,
  AttemptGivenUp: true,
  TaskReassigned: true,
});
const isQuestionEvent = kindsOf<QuestionEvent>({
  QuestionAsked: true,
  QuestionAnswered: true,
  QuestionsWithdrawn: true,
});
const isDecisionEvent = kindsOf<DecisionEvent>({
  DecisionApplied: true,
  DecisionsWithdrawn: true,
  ComplianceJudged: true,
});
const isNewsEvent = kindsOf<NewsEvent>({ NewsAdded: true, NewsTold: true });
const isLabelEvent = kindsOf<LabelEvent>({ LabelFound: true, LabelSettled: true });
const isTodoEvent = kindsOf<TodoEvent>({ TodosWritten: true });
const isSessionEvent = kindsOf<OutsideTurnEvent>({ OutsideTurnEnded: true });
const isPatternUse = kindsOf<PatternUseEvent>({ PatternsTold: true });
const isForkEvent = kindsOf<ForkEvent>({
  ForkBegun: true,
  ForkWrote: true,
  ForkFirstAnswered: true,
  ForkEnded: true,
});
const taskEnds = { WorkReset: true, WorkUndone: true, WorkAbandoned: true, TaskReassigned: true } as const;
const endsCaller = kindsOf<Extract<ModelEvent, { kind: CallerEnd["kind"] }>>({
  IterationEnded: true,
  ...taskEnds,
});
const isOfForks = (
  event: ModelEvent,
): event is ForkEvent | Extract<ModelEvent, { kind: CallerEnd["kind"] }> =>
  isForkEvent(event) || endsCaller(event);
const endsTodos = kindsOf<Extract<ModelEvent, { kind: TodoEnd["kind"] }>>(taskEnds);
const isOfTodos = (event: ModelEvent): event is TodoEvent | Extract<ModelEvent, { kind: TodoEnd["kind"] }> =>
  isTodoEvent(event) || endsTodos(event);
const isArchangelEvent = kindsOf<ArchangelEvent>({
  PhaseEndSeen: true,
  IdleSeen: true,
  ReviewBegun: true,
  ReviewSaid: true,
  ArchangelAnswered: true,
  ArchangelPassed: true,
  CommentWritten: true,
  CommentReplied: true,
  CommentResolved: true,
  CommentSent: true,
  CommentsPlaced: true,
  SuggestionTaken: true,
  SuggestionDecided: true,
});
const mayWake = kindsOf<Extract<ModelEvent, { kind: WakingEvent["kind"] }>>({
  IterationEnded: true,
  FoldAdvanced: true,
  WorkOffered: true,
  PlanApproved: true,
  PlanRevised: true,
  AmendmentFinished: true,
  DecisionApplied: true,
  OutsideTurnEnded: true,
});
const isLandingEvent = kindsOf<LandingEvent>({
  ValidationBegun: true,
  ResultValidated: true,
  LandingShown: true,
  LandingAskedAnew: true,
  BringingBegun: true,
  ResultBrought: true,
  BringingFailed: true,
  ResultCompared: true,
  ResultReturned: true,
  BranchMoveBegun: true,
  ResultLanded: true,
  LandingUndone: true,
  LandingRedone: true,
  LandingReverted: true,
});
const isOwnEvent = kindsOf<BaseEvent | RunLimitEvent | ResultEvent | MessageEvent | TroubleEvent | HookEvent>(
  {
    GroundChosen: true,
    GroundMoved: true,
    TargetBranchChosen: true,
    PatternsLoaded: true,
    RunLimitsSet: true,
    AgentsAtOnceSet: true,
    IterationsSet: true,
    VotesCounted: true,
    PhaseVotesCounted: true,
    VerdictFailed: true,
    RepairWorded: true,
    ResultRepaired: true,
    MetricsMeasured: true,
    RunScored: true,
    MessagesArchived: true,
    MessagesPutAway: true,
    MessageSent: true,
    TroubleAnswered: true,
    HooksOwed: true,
    HooksRun: true,
  },
);

type WorkersEvent = Parameters<typeof reduceWorkers>[1];
const isOfWorkers = (event: ModelEvent): event is WorkersEvent =>
  !isForkEvent(event) &&
  !isStandstillEvent(event) &&
  !isOfPhase(event) &&
  !isOwnEvent(event) &&
  !isRestoreEvent(event) &&
  !isNewsEvent(event) &&
  !isLabelEvent(event) &&
  !isProjectEvent(event) &&
  !isTodoEvent(event) &&
  !isSessionEvent(event) &&
  !isPatternUse(event) &&
  !isArchangelEvent(event);

function ownChanges(model: RunModel, event: ModelEvent): Partial<RunModel> {
  if (!isOwnEvent(event)) return {};
  switch (event.kind) {
    case "GroundChosen":
      return { onto: event.onto, branch: event.branch };
    case "GroundMoved":
      return { onto: event.onto };
    case "TargetBranchChosen":
      return event.branch === model.branch || model.onto === null
        ? { branch: event.branch }
        : { branch: event.branch, onto: { ...model.onto, isOnBranch: false } };
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
      return { phaseVerdicts: withPhaseVerdict(model.phaseVerdicts, event.verdict) };
    case "VerdictFailed": {
      // They were counted just before it.
      const votes = votesOfRound(model.validation?.seats ?? []);
      return { failedRounds: reduceRounds(model.failedRounds, { ...event, votes }) };
    }
    case "RepairWorded":
    case "ResultRepaired":
      return { failedRounds: reduceRounds(model.failedRounds, event) };
    case "MetricsMeasured":
      return { metrics: event.metrics };
    case "RunScored":
      return { score: event.score, workerScores: event.workers };
    case "MessagesArchived":
    case "MessagesPutAway":
    case "MessageSent":
      return reduceMessages(model, event);
    case "TroubleAnswered":
      return { troubles: { ...model.troubles, [event.of]: (model.troubles[event.of] ?? 0) + 1 } };
    case "HooksOwed":
      return { hasPendingHooks: true };
    case "HooksRun":
      return { hasPendingHooks: false };
  }
}

/** What the seats said of the phase that is sent back; where a check failed, they were asked about an earlier attempt. */
function withVotes(model: RunModel, event: PhaseCheckEvent): PhaseCheckEvent {
  if (event.kind !== "PhaseSentBack" || event.verdict === "vetoed") return event;
  const counted = model.phaseVerdicts.find(
    ({ orchestrator, number }) => orchestrator === event.orchestrator && number === event.phase,
  );
  return { ...event, votes: votesOfRound(counted?.validation.seats ?? []) };
}
