import type { CheckResult, HookResult } from "#shared/domain/conversation/conversation.ts";
import type { PromptText } from "#shared/domain/text/prompt-text.ts";
import type { ToolSignal } from "../tools/tool-interface.ts";
import type { CheckRunner, Conversation, TurnEnd } from "./agent-interface.ts";
import type { HookContext, PostToolsHook } from "./user-hooks.ts";

type Question = Extract<ToolSignal, { kind: "align-request" }>;

/** What one agent's loop needs from the engine; it knows neither jj nor the journal. */
export interface LoopOptions {
  readonly maxIterations: number;
  /** Runs a command where the agent works, for its hooks. */
  readonly run: HookContext["run"];
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Milliseconds that never jump. Default: `performance.now`. */
  readonly monotonic?: () => number;
  /** Resumes inside an iteration after a restart, a pause or an answer; omitted: begins at iteration 1. */
  readonly resume?: {
    readonly iteration: number;
    /** Null resumes without a message; otherwise the answer or decision that the agent waited for. */
    readonly prompt: PromptText | null;
  };
  buildPrompt(facts: PromptFacts): Promise<PromptText>;
  /** A fresh conversation for an iteration, or the stored one of the iteration that is resumed. */
  conversation(iteration: number, resumed: boolean): Conversation | Promise<Conversation>;
  /**
   * Saves the work (a snapshot of the workspace), and says whether its files changed since the last time. Fails closed:
   * what it throws ends the loop.
   */
  afterTools(iteration: number): Promise<boolean>;
  /**
   * Run in order after the work is saved; a failure is reported and never stops the loop. Their changes to
   * files are checked and judged like all other work, and are saved with the report. Requested each time they
   * are due. (PLAN-3)
   */
  hooks?(): Promise<readonly PostToolsHook[]>;
  readonly checks: CheckRunner;
  /** A non-blocking question: reported, and the agent continues. */
  onQuestion?(question: Question): Promise<void>;
  /** Rebases finished work onto its current base before the checks. Fails closed. */
  catchUp?(): Promise<void>;
  /** Why finished work may not count as done yet (behind its parent, in conflict), or null. */
  refuseDone?(): Promise<string | null>;
  /** After every iteration, before the next: must be durable when it returns. */
  onIteration(report: IterationReport): Promise<void>;
}

export interface PromptFacts {
  readonly iteration: number;
  /** Checks that failed at the end of the iteration before. */
  readonly failures: readonly CheckResult[];
  /** Why the iteration before did not count, in words for the agent. */
  readonly notes: readonly string[];
}

export interface IterationReport {
  readonly iteration: number;
  readonly end: TurnEnd["kind"];
  /** What the iteration ended with, when it ended with a word to the engine. */
  readonly signal: ToolSignal | null;
  readonly decision: "done" | "again" | "ask" | "blocked";
  readonly checks: readonly CheckResult[];
  readonly notes: readonly string[];
  readonly hooks: readonly HookResult[];
  readonly ms: {
    readonly save: number;
    readonly hooks: number;
    readonly checks: number;
  };
}

export type LoopEnd =
  | {
      readonly kind: "done";
      readonly summary: string;
      readonly iteration: number;
      readonly checks: readonly CheckResult[];
    }
  | { readonly kind: "ask"; readonly question: Question; readonly iteration: number }
  /** For a package that it asked for. */
  | { readonly kind: "wait"; readonly iteration: number }
  | { readonly kind: "blocked"; readonly reason: string; readonly iteration: number }
  | { readonly kind: "gate"; readonly gate: "pause" | "budget"; readonly iteration: number }
  | {
      readonly kind: "iteration-limit";
      readonly iteration: number;
      readonly failures: readonly CheckResult[];
    }
  | { readonly kind: "aborted"; readonly iteration: number }
  | { readonly kind: "failed"; readonly error: Error; readonly iteration: number };
