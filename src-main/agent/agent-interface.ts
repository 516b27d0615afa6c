import type { CheckResult, ConversationEntry, Effort } from "#shared/domain/conversation/conversation.ts";
import type { Spent, Usage } from "#shared/domain/spending/usage.ts";
import type { PromptText } from "#shared/domain/text/prompt-text.ts";
import type { CacheLifetime, ModelDriver } from "../model/driver-interface.ts";
import type { Tool, ToolContext, ToolSignal } from "../tools/tool-interface.ts";

/**
 * Serialized position in a conversation, from which it can be resumed or forked. Only its driver reads it.
 */
export interface ResumeToken {
  /** The driver that wrote it: no other one can read it. */
  readonly driver: string;
  /** In order. Most parts stay the same from turn to turn, so that a store writes only the new ones. */
  readonly parts: readonly string[];
}

/** Creates and resumes conversations of one kind. */
export interface ConversationDriver {
  /** The driver's name in its resume tokens. */
  readonly name: string;
  start(options: ConversationOptions): Conversation;
  /** @throws Error where the token is another driver's */
  resume(token: ResumeToken, options: ConversationOptions): Conversation;
}

/**
 * One conversation: model turns with tools until the model stops, signals, is paused or runs out of budget.
 * Used by agents, orchestrators and validators; independent of jj and runs.
 */
export interface Conversation {
  /** Its current position. */
  readonly token: ResumeToken;
  /** Files it has read, as path → content hash, to detect writes by others. Empty after its last signal. */
  readFiles(): ReadonlyMap<string, string>;
  /**
   * Another conversation with the same system prompt and history, byte for byte, followed by the suffix. This
   * one is not affected. `run(null)` has the fork answer the suffix.
   */
  fork(options: ForkOptions): Conversation;
  /** What keeps it from its next request at this moment; null: nothing. */
  gate(): "pause" | "budget" | null;
  /**
   * Adds a user message (a task, an event, an answer) and runs turns until the conversation ends. Null adds
   * nothing and resumes after a gate, a stop, a crash or a failure; a signal that a crash may have lost is
   * repeated. Rejects only when a listener throws (the journal cannot be written); everything else is a
   * `TurnEnd`.
   */
  run(prompt: PromptText | null, signal: AbortSignal): Promise<TurnEnd>;
}

export interface ConversationOptions {
  readonly model: string;
  readonly system: string;
  readonly tools: readonly Tool[];
  readonly toolContext: ToolContext;
  readonly requester: string;
  /** Longest answer; one that was cut is followed by one that may be longer, up to what the model can. */
  readonly maxTokens: number;
  readonly effort?: Effort | undefined;
  /** Called before each request: how long the provider should cache it. Default: five minutes. */
  readonly cachedFor?: () => CacheLifetime;
  /**
   * Share of the context window at which `run` ends as `context-share`, so that a fresh conversation can take
   * over. Default: never.
   */
  readonly freshContextAt?: number;
  /** What a compacted conversation must still contain in addition to its first message and its signals. */
  readonly keeps?: () => PromptText;
  /** Turns (requests) that one `run` may take before it ends as `turn-limit`. */
  readonly maxTurns: number;
  /** Asked before every request; an answer other than null ends the run with it before anything is sent. */
  readonly gate: () => "pause" | "budget" | null;
  /**
   * Called for every entry as it happens. `text` and `thinking` arrive as deltas; a `retry` restarts the
   * answer.
   */
  readonly onEntry: (entry: ConversationEntry) => void;
  /** Number of the iteration for `prompt` entries; default: counts the prompts of this conversation. */
  readonly iteration?: number;
  /**
   * Called whenever it has moved, to be stored: what `resume` takes after a restart. Comes once between an answer and its
   * tool calls, so that a paid answer survives a crash while its tools run.
   */
  readonly onTurn?: (token: ResumeToken) => void;
  /** Called once for every paid request, before its tools run; must be durable when it returns. */
  readonly onSpent: (spent: Spent, model: string) => void;
  /** Hears what was waited for a model and what its calls took, each when it has ended, however it did. */
  readonly onMeasured?: (measured: Measured) => void;
  /** Milliseconds that never jump. Default: `performance.now`. */
  readonly monotonic?: () => number;
}

/** How long something in a conversation took, in ms. */
export type Measured =
  /** `waitedMs` is time spent waiting for a rate limit or an outage, not included in `ms`. */
  | {
      readonly kind: "request";
      readonly model: string;
      readonly ms: number;
      readonly waitedMs: number;
      /** Null where there was no answer; `error` says why. */
      readonly usage: Usage | null;
      readonly stopReason: string | null;
      readonly error: string | null;
    }
  /** The calls of one answer, from the first to begin to the last to end; what forks do meanwhile is their own. */
  | { readonly kind: "calls"; readonly ms: number };

type OfFork = "requester" | "gate" | "onEntry" | "onSpent";

/** How a fork differs from its origin. */
export interface ForkOptions
  extends Pick<ConversationOptions, OfFork>,
    Partial<Omit<ConversationOptions, OfFork | "system">> {
  /** The first message after the shared history. */
  readonly suffix: PromptText;
  /** Set to resume a fork of an earlier process; the suffix is not repeated. */
  readonly token?: ResumeToken;
  /** Changes what a tool of the origin does in the fork. Its description must stay the same. */
  readonly adaptTool?: (tool: Tool) => Tool;
}

/** A conversation whose turns Hox runs itself, request by request. */
export interface ModelConversationOptions extends ConversationOptions {
  readonly driver: ModelDriver;
  /** Micro-dollars of one request: `priceOf` of `model/price-table.ts`. */
  readonly price: (usage: Usage, model: string) => number;
}

export type TurnEnd =
  /** The model ended its turn. */
  | { readonly kind: "ended"; readonly text: string }
  /** `callId` stays the same when a signal is repeated after a crash. */
  | { readonly kind: "signal"; readonly signal: ToolSignal; readonly callId: string; readonly text: string }
  | { readonly kind: "gate"; readonly gate: "pause" | "budget" }
  | { readonly kind: "turn-limit" }
  /** It made the same calls with the same results over and over; `calls` says which, in words for the model. */
  | { readonly kind: "loop"; readonly calls: string }
  | { readonly kind: "cut"; readonly reason: "max_tokens" | "context-window" }
  /** The window is full to `freshContextAt`; `text` is the model's last message. (PLAN-4) */
  | { readonly kind: "context-share"; readonly percent: number; readonly text: string }
  | { readonly kind: "refused"; readonly text: string }
  | { readonly kind: "aborted" }
  | { readonly kind: "failed"; readonly error: Error };

/** Runs the checks of an iteration. (PLAN-6) */
export interface CheckRunner {
  run(options: CheckRunOptions): Promise<readonly CheckResult[]>;
}

export interface CheckRunOptions {
  readonly iteration: number;
  /** Every check, due or not: before finished work counts as done, and for gates in a fresh checkout. */
  readonly all?: boolean;
  readonly signal: AbortSignal;
  readonly environment: Readonly<Record<string, string>>;
}
