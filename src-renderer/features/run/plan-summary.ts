/** What a plan claims, in a few words: for the bar above the graph. */
import type { Plan } from "#shared/domain/plan.ts";
import { dollars, tokens } from "./amounts.ts";

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;

/** Tasks run by one agent each; side by side as many as the widest phase has. */
export function planSums(plan: Plan): readonly string[] {
  const { microDollars, tokens: most } = plan.budget;
  const limits = [
    ...(microDollars === null ? [] : [dollars(microDollars)]),
    ...(most === null ? [] : [`${tokens(most)} tokens`]),
  ];
  return [
    counted(plan.tasks.length, "task"),
    counted(plan.tasks.length, "agent"),
    counted(plan.phases.length, "phase"),
    limits.length === 0 ? "no budget of its own" : `at most ${limits.join(" and ")}`,
    counted(plan.orchestrators.count, "orchestrator"),
  ];
}
