import { z } from "zod";
import { isRoot } from "../../domain/change-metadata/address.ts";
import { agentsNote, contextNote, type Plan, type PlannedTask } from "../../domain/plan/plan.ts";
import { checkPlan } from "../../domain/plan/plan-check.ts";
import { describeBudget } from "../../domain/spending/budget.ts";
import { counted } from "../../domain/text/format-text.ts";
import { shownLine, shownName } from "../../domain/text/shown-text.ts";
import { formatWorkflow, type Workflow, workflowReasons } from "../../domain/workflow/workflow.ts";
import { plan } from "../plan-inputs.ts";
import { approve, type CardBase, type CardKind, reject, type YesOrNoAnswer, yesOrNo } from "./card.ts";

export interface PlanCard extends CardBase {
  readonly kind: "plan";
  /** Whose plan it is. */
  readonly orchestrator: string;
  readonly plan: Plan;
  /** Which stages are on, and why. */
  readonly workflow: Workflow;
  readonly problems: readonly string[];
  /** Those that another active run has. Absent if there is no other. */
  readonly taken?: readonly string[];
}

const answer = z.discriminatedUnion("kind", [
  // The plan as it was edited on the card.
  approve.extend({ plan: plan.optional() }),
  reject,
]);

/** Of a part that is not the run's own. */
const partOf = ({ orchestrator }: PlanCard): string | null => (isRoot(orchestrator) ? null : orchestrator);

export const planKind: CardKind<PlanCard, z.infer<typeof answer>> = {
  ...yesOrNo("approves the plan", "sends it back to its author"),
  title: "Plan",
  tone: "accent",
  gate: "plan",
  answer,
  // Plans of several parts may wait at once, so each says whose it is.
  headline: (item) =>
    `${partOf(item) === null ? "" : `${partOf(item)}: `}${counted(item.plan.tasks.length, "task")} in ${counted(item.plan.phases.length, "phase")}`,
  from: partOf,
  lines: (item) => [
    `Plan${partOf(item) === null ? "" : ` of ${partOf(item)}`}: ${shownLine(item.plan.summary)}`,
    `  orchestrators: ${item.plan.orchestrators.count} (${shownLine(item.plan.orchestrators.reason)})`,
    ...(item.workflow.contracts.mode === "off"
      ? []
      : [`  contracts: ${shownLine(item.plan.contracts.title)}`]),
    ...item.plan.tasks.map(
      (task) =>
        `  ${task.phase}. ${shownLine(task.title)} [${[task.priority, ...ownOrchestrator(task), contextNote(task), agentsNote(task)].filter((note) => note !== "").join(", ")}] ${[...task.files, ...(task.symbols ?? [])].map(shownName).join(" ")}`,
    ),
    ...(item.plan.integration ? [`  then: ${shownLine(item.plan.integration.title)}`] : []),
    `  workflow: ${formatWorkflow(item.workflow)}`,
    ...workflowReasons(item.workflow).map((line) => `    ${shownLine(line)}`),
    "    (to change it, from another terminal: hox plan workflow <stage> auto|on|off)",
    `  budget: ${describeBudget(item.plan.budget) || "no limit"}`,
    ...item.problems.map((problem) => `  problem: ${shownLine(problem)}`),
  ],
  // An invalid plan is not approved in advance; warnings do not matter.
  answerInAdvance: (item) =>
    (item.taken ?? []).length > 0 || checkPlan(item.plan).some((problem) => problem.severity === "fatal")
      ? null
      : { kind: "approve" },
};

const ownOrchestrator = ({ delegate, budget }: PlannedTask): readonly string[] =>
  delegate === true ? ["led by its own orchestrator", ...(budget ? [describeBudget(budget)] : [])] : [];

/** A plan wants orchestrators on a level that needs approval. (HYLO-11) */
export interface DepthCard extends CardBase {
  readonly kind: "depth";
  readonly from: string;
  /** Letter of the level that would be new. */
  readonly level: string;
  /** Levels that need no approval. */
  readonly allowed: number;
  readonly tasks: readonly { readonly title: string; readonly description: string }[];
  readonly reason: string;
}

export const depthKind: CardKind<DepthCard, YesOrNoAnswer> = {
  ...yesOrNo("allows the level", "has the task planned without it"),
  title: "More levels",
  tone: "warning",
  gate: null,
  headline: ({ level }) => `Orchestrators on level ${level}?`,
  from: ({ from }) => from,
  lines: (item) => [
    `${item.from} requests orchestrators on level ${item.level}; ${item.allowed} levels are allowed without approval`,
    `  ${shownLine(item.reason)}`,
    ...item.tasks.map((task) => `  for: ${shownLine(task.title)}`),
  ],
};

/** An orchestrator wants more tasks in its plan while it is carried out. (HYLO-10) */
export interface AmendmentCard extends CardBase {
  readonly kind: "amendment";
  readonly from: string;
  /** Those with `delegate` get an orchestrator each, the others an agent. */
  readonly tasks: readonly PlannedTask[];
  readonly reason: string;
  /** Why the user is asked although such plans are approved automatically; empty if they never are. */
  readonly problems: readonly string[];
}

export const amendmentKind: CardKind<AmendmentCard, YesOrNoAnswer> = {
  ...yesOrNo("adds the tasks", "leaves the plan as it is"),
  title: "More tasks",
  tone: "accent",
  // The plan's own view shows more.
  gate: "plan",
  headline: ({ tasks }) => tasks.map((task) => task.title).join(", "),
  from: ({ from }) => from,
  lines: (item) => [
    `${item.from} wants to add ${item.tasks.length === 1 ? "a task" : `${item.tasks.length} tasks`} to its plan`,
    `  ${shownLine(item.reason)}`,
    ...item.problems.map((problem) => `  problem: ${shownLine(problem)}`),
    ...item.tasks.map(
      (task) =>
        `  ${shownLine(task.title)} (${task.delegate ? "an orchestrator" : "an agent"}${contextNote(task) && `, ${contextNote(task)}`}): ${task.files.map(shownName).join(" ")}`,
    ),
  ],
};
