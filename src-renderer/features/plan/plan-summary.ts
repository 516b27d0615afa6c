/** What a plan claims, in a few words: for the bar below the graph. */
import { delegatedTasks } from "#shared/domain/plan/hierarchy.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { dollars, tokens } from "../../kit/amounts.ts";

function agents(plan: Plan): string {
  const delegated = delegatedTasks(plan).length;
  const own = plan.tasks.length - delegated;
  if (delegated === 0) return counted(own, "agent");
  const parts = counted(delegated, "part");
  return own === 0
    ? `${parts} with ${delegated === 1 ? "its" : "their"} own agents`
    : `${counted(own, "agent")} and those of ${parts}`;
}

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;

/** Tasks run by one agent each, but for those that are delegated: their orchestrators plan with agents of their own. */
export function planSums(plan: Plan): readonly string[] {
  const { microDollars, tokens: most } = plan.budget;
  const limits = [
    ...(microDollars === null ? [] : [dollars(microDollars)]),
    ...(most === null ? [] : [`${tokens(most)} tokens`]),
  ];
  return [
    counted(plan.tasks.length, "task"),
    agents(plan),
    counted(plan.phases.length, "phase"),
    limits.length === 0 ? "no separate budget" : `max. ${limits.join(" and ")}`,
    counted(plan.orchestrators.count, "orchestrator"),
  ];
}
