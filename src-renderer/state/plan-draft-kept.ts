/** Drafts of plans in the window's storage, so that a reload loses no edit. */
import type { Plan } from "#shared/domain/plan/plan.ts";
import type { PlanDraft, PlanItem } from "./plan-item.ts";

/** The number rises when the shape of a plan changes: what was kept in another shape is not read. */
const prefix = "hox.plan-draft.1.";
/** Steps of undo that outlive a reload. */
const keptSteps = 20;

type Kept = Pick<PlanDraft, "plan" | "past" | "future">;

// Only this window writes here, and the host parses the plan when it is approved.
const isPlan = (value: unknown): value is Plan =>
  typeof value === "object" && value !== null && "tasks" in value && Array.isArray(value.tasks);
const isKept = (value: unknown): value is Kept =>
  typeof value === "object" &&
  value !== null &&
  "plan" in value &&
  isPlan(value.plan) &&
  [Reflect.get(value, "past"), Reflect.get(value, "future")].every(
    (steps) => Array.isArray(steps) && steps.every(isPlan),
  );

const keyOf = ({ id, nonce }: Pick<PlanItem, "id" | "nonce">): string => `${prefix}${id} ${nonce}`;

/** What was kept for exactly this proposal; nothing when there is none, or it is not readable. */
export function keptDraft(item: PlanItem): Kept | null {
  try {
    const text = globalThis.localStorage?.getItem(keyOf(item));
    if (text == null) return null;
    const found: unknown = JSON.parse(text);
    return isKept(found) ? found : null;
  } catch {
    // A page may be denied its storage; then a reload begins with the proposal.
    return null;
  }
}

export function keepDraft({ item, plan, past, future }: PlanDraft): void {
  try {
    globalThis.localStorage?.setItem(
      keyOf(item),
      JSON.stringify({ plan, past: past.slice(-keptSteps), future: future.slice(-keptSteps) }),
    );
  } catch {
    // Full or denied: the edits stay in this window.
  }
}

export function forgetDraft(item: PlanItem): void {
  try {
    globalThis.localStorage?.removeItem(keyOf(item));
  } catch {
    // Nothing can be kept here, so nothing was.
  }
}
