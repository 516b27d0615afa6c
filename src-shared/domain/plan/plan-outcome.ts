import type { Plan } from "./plan.ts";
import { checkPlan } from "./plan-check.ts";
import { editPlanBy, type PlanEdit } from "./plan-edit.ts";
import type { PlanProblem } from "./plan-problem.ts";
import { formatPlanProblem } from "./problem-words.ts";

export type PlanOutcome =
  | {
      readonly kind: "possible";
      readonly plan: Plan;
      /** Problems that the edits make, and those that they take away. */
      readonly made: readonly PlanProblem[];
      readonly gone: readonly PlanProblem[];
    }
  | {
      readonly kind: "refused";
      readonly reason: string;
      readonly remedy: string;
      /** What a window says instead of the reason, with titles for ids. */
      readonly words?: string;
    };

/**
 * The result of edits before they are made: for a drag that shows its result before the drop, and for the
 * host, which amends no plan into an invalid one. (design section 3)
 *
 * @returns refused also if the edits would cause a fatal problem, such as tasks that wait for each other
 */
export function outcomeOf(plan: Plan, edits: readonly PlanEdit[]): PlanOutcome {
  const result = editPlanBy(plan, edits);
  if (result.kind === "refused") return result;
  const [before, after] = [checkPlan(plan), checkPlan(result.plan)];
  const beyond = (some: readonly PlanProblem[], others: readonly PlanProblem[]): readonly PlanProblem[] =>
    some.filter((one) => !others.some((other) => other.text === one.text));
  const made = beyond(after, before);
  const fatal = made.find((problem) => problem.severity === "fatal");
  if (fatal)
    return {
      kind: "refused",
      reason: fatal.text,
      words: formatPlanProblem(result.plan, fatal),
      remedy: "Change the dependencies or the phases first.",
    };
  return { kind: "possible", plan: result.plan, made, gone: beyond(before, after) };
}
