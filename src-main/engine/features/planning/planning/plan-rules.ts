/** The host's rules for a proposed plan, and when the user is asked about it. */
import type { AnswerTo, ItemOf } from "#shared/contract/cards.ts";
import type { Plan, PlanProblem } from "#shared/domain/plan/plan.ts";
import {
  checkPlan,
  claimsOutside,
  deepestLevel,
  delegatedTasks,
  depthOf,
  hierarchyProblems,
  recounted,
  takenProblems,
} from "#shared/domain/plan/plan-check.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import type { OtherRuns, RunReader, RunScreen, RunTurns } from "../../../ports.ts";
import { hasContracts, partOf, rootOf, scoped } from "../../../workers/hierarchy.ts";
import { budgetLeft } from "./plan-request.ts";
import type { RepositoryScan } from "./repository-scan.ts";
import { takenClaims } from "./taken-claims.ts";

/** All problems of an orchestrator's plan: its own, those with the caps of the run, and with the files of other runs. */
export const problemsOf = (
  run: RunReader & OtherRuns,
  orchestrator: string,
  plan: Plan,
  scan: RepositoryScan | null,
): readonly PlanProblem[] => [
  ...hierarchyProblems(plan, {
    orchestrators: orchestratorsWanted(run, orchestrator),
    children: run.config.limits.childrenPerOrchestrator,
    workersLeft: workersLeft(run, orchestrator),
  }),
  ...takenProblems(plan, takenClaims(run), hasContracts(run, orchestrator)),
  ...checkPlan(plan, scan?.graph),
];

/** Rejects an invalid plan, as on the card or as edited there. */
export function checkPlanAnswer(
  run: RunReader & OtherRuns,
  item: ItemOf<"plan">,
  answer: AnswerTo<"plan">,
): void {
  if (answer.kind !== "approve") return;
  const plan = recounted(answer.plan ?? item.plan);
  const problems = problemsOf(run, item.orchestrator, plan, null);
  const fatal = problems.find((problem) => problem.severity === "fatal");
  if (fatal) throw new EngineRefusal(fatal.text, "Edit the plan, or reject it with a reason.");
}

/** A number that the user gave is for the whole run, and the root's plan uses it up. (HOX-9.3) */
const orchestratorsWanted = (run: RunReader, orchestrator: string): number | null => {
  const { orchestrators } = run.row.input;
  return orchestrators === null || orchestrator === rootOf(run) ? orchestrators : 1;
};

/** Its own workers do not count: after a restart a plan is looked at again. */
const workersLeft = (run: RunReader, orchestrator: string): number =>
  run.config.limits.workersPerRun -
  [...run.workers.values()].filter(({ record }) => record.task !== null && record.parent !== orchestrator)
    .length;

/**
 * Why a part's plan needs the user although such plans are approved automatically; empty if it stays within
 * limits.
 */
export function reasonsToAsk(run: RunReader, orchestrator: string, plan: Plan): readonly string[] {
  if (orchestrator === rootOf(run)) return [];
  const outside = claimsOutside(plan, partOf(run, orchestrator).files);
  const left = budgetLeft(run, orchestrator);
  const over = (wanted: number | null, most: number | null) =>
    wanted !== null && most !== null && wanted > most;
  return [
    ...(outside.length === 0
      ? []
      : [`${orchestrator} claims files outside its part: ${outside.join(", ")}.`]),
    ...(over(plan.budget.tokens, left.tokens) || over(plan.budget.microDollars, left.microDollars)
      ? [`The plan of ${orchestrator} needs more than the remaining budget.`]
      : []),
  ];
}

/**
 * Orchestrators beyond the configured depth need the user's approval. (HYLO-11)
 * @returns null if the plan is accepted, else the reason for its author
 */
export async function depthRefused(
  run: RunReader & RunScreen & RunTurns,
  orchestrator: string,
  round: number,
  plan: Plan,
): Promise<string | null> {
  const tasks = delegatedTasks(plan);
  const level = depthOf(orchestrator) + 1;
  const allowed = run.config.limits.orchestratorLevels;
  if (tasks.length === 0 || level <= allowed) return null;
  if (level > deepestLevel) return "There is no level below Z. Give every task to an agent.";
  const decision = await run.inbox.ask(
    `${run.id}/${scoped(orchestrator, `depth/${round}`)}`,
    () => ({
      kind: "depth",
      from: orchestrator,
      level: String.fromCharCode(64 + level),
      allowed,
      tasks: tasks.map(({ title, description }) => ({ title, description })),
      reason: plan.orchestrators.reason,
    }),
    run.runEnded.signal,
  );
  if (decision.kind === "approve") return null;
  const reason = decision.kind === "reject" && decision.reason !== "" ? ` ${decision.reason}` : "";
  return `The user wants no orchestrators below ${orchestrator}: give every task to an agent.${reason}`;
}
