import type { CheckResult } from "../../domain/conversation/conversation.ts";
import type { LineRemark } from "../../domain/merge-request/line-remark.ts";
import type { Budget } from "../../domain/spending/budget.ts";
import type { Spent } from "../../domain/spending/usage.ts";
import type { FailedRound } from "../../domain/validation/failed-rounds.ts";
import type { ValidationStrategy } from "../../domain/validation/panel.ts";
import type { PanelMakeup, PanelTrust } from "../../domain/validation/panel-trust.ts";

export interface ValidationView {
  readonly commitId: string;
  readonly attempt: number;
  readonly seats: readonly SeatView[];
  readonly quorum: number;
  readonly tolerated: number;
  readonly verdict: "open" | "approved" | "rejected" | "vetoed" | "undecided";
  readonly checks: readonly CheckResult[];
  /** Why this number of seats judges it. Absent if only checks did. */
  readonly why?: string;
  /** Who holds the seats. Absent where only checks judged it. */
  readonly strategy?: ValidationStrategy;
  /** What differs from the strategy that was asked for, and why. Absent where nothing does. */
  readonly notes?: readonly string[];
  /** The user landed it anyway: why, and when. Absent if they did not. */
  readonly overruled?: { readonly reason: string; readonly at: number };
}

/** The panel's verdict on one phase of an orchestrator's plan. */
export interface PhaseVerdict {
  readonly orchestrator: string;
  readonly number: number;
  readonly validation: ValidationView;
}

export interface PhaseVerdictView extends PhaseVerdict {
  /** Verdicts on it that failed before this one, the first first. */
  readonly rounds: readonly FailedRound[];
}

export interface SeatView {
  readonly seat: string;
  /**
   * What this seat looks at: specification, diff, tests, attacker, decisions; `result` is all of it, of a seat that sits
   * alone, and `others` what a peer did not write itself.
   */
  readonly evidence: string;
  readonly vote: "pending" | "approve" | "reject" | "abstain" | "error" | "timed-out" | "void";
  readonly reason: string;
  /** What it says of lines, which the reason says too. Absent where that is nothing. */
  readonly lines?: readonly LineRemark[];
  readonly at: number | null;
  /** True when the vote counted towards the verdict. */
  readonly counted: boolean;
  /** The model that judges. Absent where it is the one of all validators. */
  readonly model?: string;
  /** How many judges had this seat; the last one voted this. Absent: one. */
  readonly judges?: number;
  /** The agent in whose role it judges. Absent for a judge who had no part in the work. */
  readonly peer?: string;
}

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
