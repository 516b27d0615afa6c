import type { Usage } from "./usage.ts";

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
  | { readonly kind: "checks"; readonly results: readonly CheckResult[] };

/** One entry with its place in the conversation and its time (ms since 1970). */
export type ConversationRow = { readonly index: number; readonly at: number } & ConversationEntry;

/** The outcome of one back-pressure command. A time-out or a missing program is a failure. (PLAN-6) */
export interface CheckResult {
  readonly name: string;
  readonly command: string;
  readonly speed: "fast" | "slow";
  readonly outcome: "passed" | "failed" | "timed-out" | "missing";
  readonly ms: number;
  /** Head and tail of what it printed, secrets redacted. */
  readonly output: string;
}
