/** The word that lets a plan begin, from the card and from the graph alike. */
import type { Plan, PlanProblem } from "#shared/domain/plan/plan.ts";
import { formatPlanProblem } from "#shared/domain/plan/problem-words.ts";
import { answer } from "../../state/answer.ts";
import { isEdited, type PlanDraft } from "../../state/plan-draft.ts";

/** What keeps a plan from being approved; null when nothing does. */
export function whyNotApproved(plan: Plan, problems: readonly PlanProblem[]): string | null {
  const fatal = problems.find((problem) => problem.severity === "fatal");
  if (fatal) return formatPlanProblem(plan, fatal);
  return plan.tasks.some((task) => task.title.trim() === "")
    ? "Give every task a title, then approve."
    : null;
}

/** What is approved is what is on screen: the proposal, or the plan as it was edited. */
export const decisionOf = (draft: PlanDraft) =>
  isEdited(draft) ? ({ kind: "approve", plan: draft.plan } as const) : ({ kind: "approve" } as const);

export const approvePlan = (draft: PlanDraft): Promise<boolean> => answer(draft.item, decisionOf(draft));
