import type { InboxItem } from "#shared/contract/cards.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";

export type PlanItem = Extract<InboxItem, { kind: "plan" }>;

export interface PlanDraft {
  readonly item: PlanItem;
  readonly plan: Plan;
  /** Plans before the last edits, oldest first. */
  readonly past: readonly Plan[];
  /** Plans that were undone, the next one to come again last. */
  readonly future: readonly Plan[];
  /** What the last edit wrote: letters typed into one field are one step of undo. */
  readonly writing: string | null;
}
