/** The host's rules for a proposed plan, and when the user is asked about it. */

import type { AnswerTo, ItemOf } from "#shared/contract/cards.ts";
import type { Plan, PlanProblem } from "#shared/domain/plan/plan.ts";
import type { TakenClaim } from "#shared/domain/plan/plan-check.ts";
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
import type { Budget } from "#shared/domain/spending/budget.ts";
import { leftOf, narrower } from "#shared/domain/spending/budget.ts";
import type { Outlines } from "#shared/domain/symbols/outline.ts";
import { whyNoAgent } from "../../../conversations/check-choice.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import type { Run, RunReader } from "../../../ports.ts";
import {
  chainOf,
  hasContracts,
  orchestratorsOf,
  partOf,
  rootOf,
  scoped,
  workerOnTask,
} from "../../../workers/hierarchy.ts";
import { limitsOf, spentBelow } from "../../../workers/worker-limits.ts";
import type { RepositoryScan } from "./repository-scan.ts";

/** All problems of an orchestrator's plan: its own, those with the caps of the run, and with the files of other runs. */
export const problemsOf = (
  run: Run,
  orchestrator: string,
  plan: Plan,
  scan: RepositoryScan | null,
  outlines: Outlines = new Map(),
): readonly PlanProblem[] => [
  ...hierarchyProblems(plan, {
    orchestrators: orchestratorsWanted(run, orchestrator),
    children: run.config.limits.childrenPerOrchestrator,
    workersLeft: workersLeft(run, orchestrator),
  }),
  ...takenProblems(plan, takenClaims(run), hasContracts(run, orchestrator)),
  ...checkPlan(plan, scan?.graph, outlines),
  ...agentProblems(run, plan),
];

/** Agents that were chosen for tasks and could not work on them. */
function agentProblems({ config, workspaces }: RunReader, plan: Plan): readonly PlanProblem[] {
  const tasks = plan.tasks.filter(({ agents = [] }) => agents.length > 0);
  const chosen = new Set(tasks.flatMap(({ agents = [] }) => agents.filter((agent) => agent !== "")));
  return [...chosen].flatMap((agent): readonly PlanProblem[] => {
    const reason = whyNoAgent(config, agent, workspaces.hasAgent);
    if (reason === null) return [];
    const ids = tasks.flatMap(({ id, agents = [] }) => (agents.includes(agent) ? [id] : []));
    const names = ids.map((id) => `"${id}"`).join(", ");
    return [{ severity: "fatal", kind: "agent", tasks: ids, text: `Agent ${agent} of ${names}: ${reason}` }];
  });
}

/** Rejects an invalid plan, as on the card or as edited there. */
export function checkPlanAnswer(run: Run, item: ItemOf<"plan">, answer: AnswerTo<"plan">): void {
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
 * What an orchestrator and all below it may still spend: by its own limits, those of its ancestors, and the
 * run's.
 */
export const budgetLeft = (run: RunReader, orchestrator: string): Budget =>
  chainOf(run, orchestrator)
    .map((name) => leftOf(limitsOf(run, name), spentBelow(run, name)))
    .reduce(narrower, leftOf(run.facts.limits, run.spending.total));

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
  run: Run,
  orchestrator: string,
  round: number,
  plan: Plan,
): Promise<string | null> {
  const tasks = delegatedTasks(plan);
  const level = depthOf(orchestrator) + 1;
  const allowed = run.config.limits.orchestratorLevels;
  if (tasks.length === 0 || level <= allowed) return null;
  if (level > deepestLevel) return "There is no level below Z. Give every task to an agent.";
  const decision = await run.inbox.ask(`${run.id}/${scoped(orchestrator, `depth/${round}`)}`, () => ({
    kind: "depth",
    from: orchestrator,
    level: String.fromCharCode(64 + level),
    allowed,
    tasks: tasks.map(({ title, description }) => ({ title, description })),
    reason: plan.orchestrators.reason,
  }));
  if (decision.kind === "approve") return null;
  const reason = decision.kind === "reject" && decision.reason !== "" ? ` ${decision.reason}` : "";
  return `The user wants no orchestrators below ${orchestrator}: give every task to an agent.${reason}`;
}

/** The approved plans of other active runs. */
export const takenClaims = (run: Run): readonly TakenClaim[] =>
  run.others().flatMap((other) =>
    orchestratorsOf(other).flatMap((orchestrator) => {
      const { plan, planApproved } = other.orchestratorFacts(orchestrator);
      if (plan === null || !planApproved) return [];
      const root = rootOf(other);
      const contracts = hasContracts(other, orchestrator) ? plan.contracts.files : [];
      return [
        ...contracts.map((claim) => ({ claim, by: orchestrator, root, title: plan.contracts.title })),
        ...plan.tasks.flatMap(({ id, title, files }) => {
          const by = workerOnTask(other, orchestrator, id)?.name ?? orchestrator;
          return files.map((claim) => ({ claim, by, root, title }));
        }),
      ];
    }),
  );

/** Updates a waiting plan when another run claims or releases its files. */
export function showTaken(run: Run): void {
  for (const card of run.inbox.items()) {
    if (card.kind !== "plan") continue;
    const { id, run: _run, at: _at, nonce: _nonce, shown: _shown, ...rest } = card;
    const orchestrator = card.orchestrator;
    const taken = takenClaimTexts(run, orchestrator, card.plan);
    const { taken: known = [], ...others } = rest;
    if (JSON.stringify(known) === JSON.stringify(taken)) continue;
    const problems = [...taken, ...card.problems.filter((text) => !known.includes(text))];
    run.inbox.replace(id, { ...others, ...takenOn(taken), problems });
  }
}

/** The problems of a plan that are with other runs. */
export const takenClaimTexts = (run: Run, orchestrator: string, plan: Plan): readonly string[] =>
  takenProblems(plan, takenClaims(run), hasContracts(run, orchestrator)).map(({ text }) => text);

/** As a card has them. */
export const takenOn = (taken: readonly string[]): { readonly taken?: readonly string[] } =>
  taken.length > 0 ? { taken } : {};
