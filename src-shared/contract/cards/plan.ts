import { z } from "zod";
import { isRoot } from "../../domain/graph-words/address.ts";
import { contextNote, type Plan, type PlannedTask } from "../../domain/plan/plan.ts";
import { checkPlan } from "../../domain/plan/plan-check.ts";
import { describeBudget } from "../../domain/spending/budget.ts";
import { counted } from "../../domain/text/counted.ts";
import { shownLine, shownName } from "../../domain/text/shown-text.ts";
import type { Workflow } from "../../domain/workflow/workflow.ts";
import { formatWorkflow, workflowReasons } from "../../domain/workflow/workflow.ts";
import { plan } from "../plan-inputs.ts";
import { approve, type CardBase, type CardKind, reject, yesOrNo, yesOrWhyNot } from "./card.ts";

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
  ...yesOrNo,
  title: "Plan",
  tone: "accent",
  gate: "plan",
  answer,
  // Plans of several parts may wait at once, so each says whose it is.
  headline: (item) =>
    `${partOf(item) === null ? "" : `${partOf(item)}: `}${counted(item.plan.tasks.length, "task")} in ${counted(item.plan.phases.length, "phase")}`,
  from: partOf,
  options: () => yesOrWhyNot("approves the plan", "sends it back to its author"),
  lines: (item) => [
    `Plan${partOf(item) === null ? "" : ` of ${partOf(item)}`}: ${shownLine(item.plan.summary)}`,
    `  orchestrators: ${item.plan.orchestrators.count} (${shownLine(item.plan.orchestrators.reason)})`,
    ...(item.workflow.contracts.mode === "off"
      ? []
      : [`  contracts: ${shownLine(item.plan.contracts.title)}`]),
    ...item.plan.tasks.map(
      (task) =>
        `  ${task.phase}. ${shownLine(task.title)} [${[task.priority, ...ownOrchestrator(task), contextNote(task)].filter((note) => note !== "").join(", ")}] ${task.files.map(shownName).join(" ")}`,
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
