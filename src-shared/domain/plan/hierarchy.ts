/** The hierarchy of orchestrators, and its limits for a plan (HOX-3.1, HYLO-10, HYLO-11). */

import { claimCovers } from "../files/claims.ts";
import { formatOrchestrator, parseOrchestrator } from "../graph-words/address.ts";
import { type Plan, type PlannedTask, workersNeeded } from "./plan.ts";
import type { PlanProblem } from "./plan-problem.ts";

/** 1 for the root, whose level is A. */
export const depthOf = (orchestrator: string): number =>
  (parseOrchestrator(orchestrator)?.level.charCodeAt(0) ?? 64) - 64;

/** Levels have one letter each. */
export const deepestLevel = 26;

/**
 * The next free name one level below an orchestrator: numbers count through a level, across parents.
 * (HOX-3.1)
 *
 * @param taken names of all orchestrators of the run
 */
export function nextBelow(parent: string, taken: readonly string[]): string {
  const level = String.fromCharCode(64 + depthOf(parent) + 1);
  const numbers = taken.flatMap((name) => {
    const one = parseOrchestrator(name);
    return one?.level === level ? [one.number] : [];
  });
  return formatOrchestrator({ level, number: Math.max(0, ...numbers) + 1 });
}

/** Tasks that get an orchestrator instead of an agent. */
export const delegatedTasks = (plan: Plan): readonly PlannedTask[] =>
  plan.tasks.filter((task) => task.delegate === true);

/** The orchestrators that a plan makes, its author among them. */
export const orchestratorCount = (plan: Plan): number => 1 + delegatedTasks(plan).length;

/** The plan with the number of orchestrators that its tasks need, so that the user need not count. */
export function recounted(plan: Plan): Plan {
  const count = orchestratorCount(plan);
  return plan.orchestrators.count === count
    ? plan
    : { ...plan, orchestrators: { ...plan.orchestrators, count } };
}

/** What holds for the plan of one orchestrator. */
interface HierarchyRules {
  /** As the user wants it for the whole run; null: the orchestrators decide. */
  readonly orchestrators: number | null;
  /** Tasks of one plan. */
  readonly children: number;
  /** Agents and orchestrators that the run may still get. */
  readonly workersLeft: number;
}

/** What the caps of the host and the user's word say against a plan; all of it is fatal. (HOX-9.3, HYLO-11) */
export function hierarchyProblems(plan: Plan, rules: HierarchyRules): readonly PlanProblem[] {
  const problems: PlanProblem[] = [];
  const refuse = (text: string, ...tasks: string[]) =>
    problems.push({ severity: "fatal", kind: "hierarchy", tasks, text });
  const count = orchestratorCount(plan);
  if (rules.orchestrators !== null && count !== rules.orchestrators)
    refuse(
      `The user wants ${amount(rules.orchestrators, "orchestrator")}, and the plan makes ${count}: ` +
        "its author and one for each task with delegate = true.",
      ...delegatedTasks(plan).map((task) => task.id),
    );
  if (plan.tasks.length > rules.children)
    refuse(
      `The plan has ${amount(plan.tasks.length, "task")}; one orchestrator may have ${rules.children}. Join some, or delegate a group of them.`,
    );
  const workers = workersNeeded(plan);
  if (workers > rules.workersLeft)
    refuse(
      `The plan needs ${amount(workers, "worker")}, and the run may get ${rules.workersLeft} more. Join tasks.`,
    );
  return problems;
}

const amount = (number: number, word: string): string => `${number} ${word}${number === 1 ? "" : "s"}`;

/** Files that a plan claims beyond those that its orchestrator was given; empty when it stays inside. */
export function claimsOutside(plan: Plan, given: readonly string[]): readonly string[] {
  const claimed = new Set([...plan.contracts.files, ...plan.tasks.flatMap((task) => task.files)]);
  return [...claimed].filter((claim) => !given.some((one) => claimCovers(one, claim)));
}
