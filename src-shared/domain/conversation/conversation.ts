import type { Usage } from "../spending/usage.ts";

/** What the host records and shows of one conversation, in order. Everything textual is untrusted. */
export type ConversationEntry =
  | { readonly kind: "prompt"; readonly text: string; readonly iteration: number }
  | { readonly kind: "thinking"; readonly text: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "tool-call"; readonly id: string; readonly tool: string; readonly input: unknown }
  | {
      readonly kind: "tool-result";
      readonly id: string;
      readonly tool: string;
      readonly output: string;
      /** Typed reason when the call failed, for instance `protected-file`. */
      readonly error: string | null;
      readonly ms: number;
    }
  | { readonly kind: "usage"; readonly usage: Usage; readonly microDollars: number; readonly model: string }
  | { readonly kind: "retry"; readonly reason: string; readonly attempt: number; readonly waitMs: number }
  | { readonly kind: "notice"; readonly text: string }
  /** The user's side question, and the fork's answer: the worker knows of neither. */
  | {
      readonly kind: "aside";
      readonly question: string;
      readonly answer: string;
      readonly microDollars: number;
    }
  | { readonly kind: "checks"; readonly results: readonly CheckResult[] }
  | { readonly kind: "hooks"; readonly results: readonly HookResult[] };

/** One entry with its place in the conversation and its time (ms since 1970). */
export type ConversationRow = { readonly index: number; readonly at: number } & ConversationEntry;

/**
 * The outcome of one back-pressure command. A time-out, a missing program and a report that says of no test, or not of all,
 * that it ran are failures (PLAN-6). Two outcomes keep no work from counting (`isBlocking`): a `known-failure` failed on the
 * commit that the run builds on, by the same names; `unproven` could not be compared with it, because nothing is known of
 * what failed there. A user says whether what is unproven lands.
 */
export interface CheckResult {
  readonly name: string;
  readonly command: string;
  readonly speed: "fast" | "slow";
  readonly outcome:
    | "passed"
    | "failed"
    | "timed-out"
    | "missing"
    | "could-not-run"
    | "known-failure"
    | "unproven";
  readonly ms: number;
  /** Head and tail of what it printed, secrets redacted. */
  readonly output: string;
  /** Of one that could not run or proves nothing: why, as a sentence. Absent elsewhere. */
  readonly why?: string;
}

/**
 * What a user's hook may follow: every iteration of an agent whose tools have run and whose files are saved; a task that
 * was found done, before that is written down; a run that is complete. (PLAN-3)
 */
export const hookEvents = ["iteration", "task-done", "fold-merged", "run-complete"] as const;
export type HookEvent = (typeof hookEvents)[number];

/** The outcome of one of the user's hooks. A failure stops nothing. (PLAN-3) */
export interface HookResult {
  readonly name: string;
  readonly on: HookEvent;
  readonly success: boolean;
  /** What it printed, bounded and with secrets redacted; of a failure also why. */
  readonly message: string;
  readonly ms: number;
}
