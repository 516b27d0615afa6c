/** What a run is made of by its events; `reduceModel` is the only one that writes it. */
import type { ScoreView, WorkerMetrics } from "#shared/contract/views/metrics.ts";
import type { ValidationView } from "#shared/contract/views/validation.ts";
import type { Budget } from "#shared/domain/budget.ts";
import {
  type DecisionEvent,
  type Decisions,
  noDecisions,
  reduceDecisions,
} from "#shared/domain/decisions/decision-events.ts";
import type { Priority } from "#shared/domain/metadata.ts";
import { type PlanEvent, type Plans, reducePlans } from "#shared/domain/plan/plan-events.ts";
import { type QuestionEvent, type Questions, reduceQuestions } from "#shared/domain/question/questions.ts";
import { reduceWorkers, type Workers } from "#shared/domain/worker/reduce-workers.ts";
import type { Pattern } from "../../patterns/patterns-interface.ts";
import { importFacts } from "./import-facts.ts";
import type { Ground, GroundEvent, Landed, ModelEvent, ResultEvent, RunLimitEvent } from "./run-events.ts";

/** Plain JSON. `decisions`: those that were applied, the first first. */
export interface RunModel extends Decisions {
  /** By name, in the order in which they came. */
  readonly workers: Workers;
  readonly orchestrators: Plans;
  readonly exchanges: Questions;
  /** What the person chose to build on. */
  readonly onto: Ground | null;
  /** The branch that the result is for; null: the card asks. */
  readonly branch: string | null;
  readonly patterns: readonly Pattern[];
  readonly limits: Budget;
  /** Agents at once, and iterations of each, as a person set them for this run; null: as configured. */
  readonly maxParallelAgents: number | null;
  readonly maxIterations: number | null;
  readonly validation: ValidationView | null;
  readonly score: ScoreView | null;
  readonly metrics: readonly WorkerMetrics[];
  readonly landed: Landed | null;
}

export const emptyModel: RunModel = {
  workers: {},
  orchestrators: {},
  exchanges: [],
  ...noDecisions,
  onto: null,
  branch: null,
  patterns: [],
  limits: { tokens: null, microDollars: null },
  maxParallelAgents: null,
  maxIterations: null,
  validation: null,
  score: null,
  metrics: [],
  landed: null,
};

/**
 * What an event makes of a run: each concept's own reducer hears all of them. Total: one that says nothing new answers
 * with the same model.
 */
export function reduceModel(model: RunModel, event: ModelEvent): RunModel {
  if (event.kind === "Imported") return importFacts(event);
  const { decisions, standings } = isDecisionEvent(event) ? reduceDecisions(model, event) : model;
  const after: RunModel = {
    ...model,
    workers: isOwnEvent(event) ? model.workers : reduceWorkers(model.workers, event),
    orchestrators: isPlanEvent(event) ? reducePlans(model.orchestrators, event) : model.orchestrators,
    exchanges: isQuestionEvent(event) ? reduceQuestions(model.exchanges, event) : model.exchanges,
    decisions,
    standings,
    ...ownChanges(model, event),
  };
  const keys = Object.keys(after) as (keyof RunModel)[];
  return keys.every((key) => Object.is(model[key], after[key])) ? model : after;
}

/** What events come to, from the beginning. */
export const replayModel = (events: Iterable<ModelEvent>): RunModel => {
  let model = emptyModel;
  for (const event of events) model = reduceModel(model, event);
  return model;
};

const kindsOf =
  <Event extends ModelEvent>(kinds: Readonly<Record<Event["kind"], true>>) =>
  (event: ModelEvent): event is Event =>
    Object.hasOwn(kinds, event.kind);

const isPlanEvent = kindsOf<PlanEvent>({
  PlanProposed: true,
  PlanApproved: true,
  PlanRevised: true,
  BaseCreated: true,
  IntegrationCreated: true,
  TrunkExtended: true,
  TrunkLeft: true,
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
const isOwnEvent = kindsOf<GroundEvent | RunLimitEvent | ResultEvent>({
  GroundChosen: true,
  GroundMoved: true,
  TargetBranchChosen: true,
  PatternsLoaded: true,
  RunLimitsSet: true,
  AgentsAtOnceSet: true,
  IterationsSet: true,
  VotesCounted: true,
  MetricsMeasured: true,
  RunScored: true,
  ResultLanded: true,
  LandingUndone: true,
});

function ownChanges(model: RunModel, event: ModelEvent): Partial<RunModel> {
  if (!isOwnEvent(event)) return {};
  switch (event.kind) {
    case "GroundChosen":
      return { onto: event.onto, branch: event.branch };
    case "GroundMoved":
      return { onto: event.onto };
    case "TargetBranchChosen":
      return { branch: event.branch };
    case "PatternsLoaded":
      return { patterns: event.patterns };
    case "RunLimitsSet":
      return { limits: event.limits };
    case "AgentsAtOnceSet":
      return { maxParallelAgents: event.maxParallelAgents };
    case "IterationsSet":
      return { maxIterations: event.maxIterations };
    case "VotesCounted":
      return { validation: event.validation };
    case "MetricsMeasured":
      return { metrics: event.metrics };
    case "RunScored":
      return { score: event.score };
    case "ResultLanded":
      return { landed: event.landed };
    case "LandingUndone":
      return model.landed === null ? {} : { landed: { ...model.landed, undoneAt: event.at } };
  }
}

/**
 * The priority of a worker's task, as the plan of its parent says it; null for who has no task. It has this one home:
 * what a person drags or writes into a change becomes the plan's.
 */
export function priorityOf(
  model: Pick<RunModel, "workers" | "orchestrators">,
  name: string,
): Priority | null {
  const worker = model.workers[name];
  if (!worker || worker.task === null || worker.parent === null) return null;
  const plan = model.orchestrators[worker.parent]?.plan;
  return plan?.tasks.find((task) => task.id === worker.task)?.priority ?? null;
}
