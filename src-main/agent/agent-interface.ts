import type { CheckResult, ConversationEntry } from "#shared/domain/conversation.ts";
import type { Effort } from "#shared/domain/effort.ts";
import type { PromptText } from "#shared/domain/prompt-text.ts";
import type { Spent, Usage } from "#shared/domain/usage.ts";
import type { ModelDriver, ModelMessage } from "../model/driver-interface.ts";
import type { Tool, ToolContext, ToolSignal } from "../tools/tool-interface.ts";

/**
 * One conversation: model turns with tools until the model stops, signals, is told to pause, or money ends.
 * Used by agents, orchestrators and validators alike; it knows nothing about jj or runs.
 */
export interface Conversation {
  /** The messages so far: can be stored and given back as `history` to go on after a restart. */
  readonly messages: readonly ModelMessage[];
  /**
   * Adds a user message (a task, an event, an answer) and runs turns until something ends it. With null it adds
   * nothing and goes on where a gate, a stop, a crash or a failure left it: a signal that a crash may have swallowed
   * is told again. Rejects only when a listener throws (a journal
   * that cannot be written); everything else is a `TurnEnd`.
   */
  run(prompt: PromptText | null, signal: AbortSignal): Promise<TurnEnd>;
}

export interface ConversationOptions {
  readonly driver: ModelDriver;
  readonly model: string;
  readonly system: string;
  readonly tools: readonly Tool[];
  readonly toolContext: ToolContext;
  readonly requester: string;
  /** Longest answer; one that was cut is followed by one that may be longer, up to what the model can. */
  readonly maxTokens: number;
  readonly effort?: Effort | undefined;
  /** Asked before each request: how long the provider shall remember what was asked. Default: five minutes. */
  readonly cachedFor?: () => "5m" | "1h";
  /** Share of the window from which on old parts are left out. Default 0.75. */
  readonly compactAt?: number;
  /** What has to stand in a conversation of which parts were left out, beyond its first message and its signals. */
  readonly keeps?: () => PromptText;
  /** Turns (requests) that one `run` may take before it ends as `turn-limit`. */
  readonly maxTurns: number;
  readonly history?: readonly ModelMessage[];
  /** Asked before every request; an answer other than null ends the run with it before anything is sent. */
  readonly gate: () => "pause" | "budget" | null;
  /** Called for every entry as it happens; `text` and `thinking` come as deltas; after a `retry` the answer begins anew. */
  readonly onEntry: (entry: ConversationEntry) => void;
  /** Micro-dollars of one request: `priceOf` of `model/price.ts`. */
  readonly price: (usage: Usage, model: string) => number;
  /** Number of the iteration for `prompt` entries; default: counts the prompts of this conversation. */
  readonly iteration?: number;
  /**
   * Called whenever the messages grew, with all of them, to be stored: what `history` takes after a restart. Comes
   * once between an answer and its tool calls, so that a paid answer survives a crash while its tools run.
   */
  readonly onTurn?: (messages: readonly ModelMessage[]) => void;
  /** Called once for every paid request, before its tools run; must be durable when it returns. */
  readonly onSpent: (spent: Spent, model: string) => void;
}

export type TurnEnd =
  /** The model ended its turn by itself. */
  | { readonly kind: "ended"; readonly text: string }
  /** `callId` is the same when a signal is told again after a crash. */
  | { readonly kind: "signal"; readonly signal: ToolSignal; readonly callId: string; readonly text: string }
  | { readonly kind: "gate"; readonly gate: "pause" | "budget" }
  | { readonly kind: "turn-limit" }
  /** It made the same calls with the same results over and over; `calls` says which, in words for the model. */
  | { readonly kind: "loop"; readonly calls: string }
  | { readonly kind: "cut"; readonly reason: "max_tokens" | "context-window" }
  | { readonly kind: "refused"; readonly text: string }
  | { readonly kind: "aborted" }
  | { readonly kind: "failed"; readonly error: Error };

/** Runs the checks of an iteration. (PLAN-6) */
export interface CheckRunner {
  run(options: CheckRunOptions): Promise<readonly CheckResult[]>;
}

export interface CheckRunOptions {
  readonly workspace: string;
  readonly iteration: number;
  /** Every check, due or not: before finished work counts as done, and for gates in a fresh checkout. */
  readonly all?: boolean;
  readonly signal: AbortSignal;
  readonly environment: Readonly<Record<string, string>>;
}
