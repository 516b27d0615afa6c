import type { Budget } from "../../domain/spending/budget.ts";
import type { Spent } from "../../domain/spending/usage.ts";
import type { PanelMakeup, PanelTrust } from "../../domain/validation/panel-trust.ts";
import type { ValidationView } from "./validation.ts";

/** How the validation of a change ended. */
export type JudgingEnd =
  | { readonly kind: "done" }
  | { readonly kind: "cancelled" }
  /** The limit is reached. */
  | { readonly kind: "budget" }
  | { readonly kind: "failed"; readonly message: string; readonly remedy: string };

/** A change that a panel judged, or judges, without a run. */
export interface ChangeValidation {
  readonly id: string;
  readonly changeId: string;
  /** What was judged: void for the change as soon as it has another commit. */
  readonly commitId: string;
  /** The commits that it is compared with: its parents, or those that the user named. */
  readonly from: readonly string[];
  readonly title: string;
  /** What it is judged by. */
  readonly goal: string;
  readonly panel: PanelMakeup;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly endedAt: number | null;
  /** A short text of the current activity. */
  readonly activity: string;
  /** Null until its checks have run. */
  readonly validation: ValidationView | null;
  readonly spent: Spent;
  readonly limit: Budget;
  /** What happened to earlier verdicts of that panel, as it is known when it is asked for. */
  readonly trust: PanelTrust;
  /** Null while it is judged. */
  readonly end: JudgingEnd | null;
}

/** As far as it is; `version` rises with all that happens. */
export interface Progress<T> {
  readonly version: number;
  readonly value: T;
}
