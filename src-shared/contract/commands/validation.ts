import { z } from "zod";
import type { Budget } from "../../domain/spending/budget.ts";
import type { Spent } from "../../domain/spending/usage.ts";
import type { ValidationView } from "../../domain/validation/panel.ts";
import type { PanelMakeup, PanelTrust } from "../../domain/validation/panel-trust.ts";
import { changeId, limit, line } from "../fields.ts";
import { answers, nothing, repositoryCommand } from "./command.ts";

const revset = z.string().trim().min(1).max(2_000);
const spends = {
  /** Left out: as configured. Null: no limit. */
  maxTokens: limit.optional(),
  maxMicroDollars: limit.optional(),
};
const ofOne = { id: line(100).min(1) };
const after = z.number().int().min(0);

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

/** Judging a change without a run. */
export const validationCommands = {
  /** Begins to judge a change. Answers under what name its progress is asked for. */
  "change.validate": repositoryCommand(
    {
      change: revset,
      /** What it should do; null: its description says it. */
      goal: z.string().trim().max(20_000).nullable().default(null),
      /** What it is compared with; null: its parents. */
      from: revset.nullable().default(null),
      ...spends,
    },
    answers<{ id: string }>(),
  ),
  /** What came after a version; waits a while for it. */
  "change.validateMore": repositoryCommand({ ...ofOne, after }, answers<Progress<ChangeValidation>>()),
  /** Nobody wants the verdict any more. Resolves when nothing of it is left behind. Safe to repeat. */
  "change.cancelValidate": repositoryCommand(ofOne, nothing),
  /** The last one of a change, by its full id, even while it runs; null: it was never judged. */
  "change.lastValidation": repositoryCommand({ changeId }, answers<ChangeValidation | null>()),
};
