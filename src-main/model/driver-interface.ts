import type { Effort } from "#shared/domain/conversation/conversation.ts";
import type { Usage } from "#shared/domain/spending/usage.ts";
import type { RateLimit } from "./rate-limit.ts";

/**
 * One request to a model and its streamed answer. The driver owns the wire: retries, rate limit, idle watchdog.
 * It does not run tools and it does not know what an agent is.
 */
export interface ModelDriver {
  /** Which wire this speaks, for the screen: `anthropic`, `rehearsal`. */
  readonly name: string;
  /** True when a model's words are scripted; the screen must say so. */
  readonly isScripted: boolean;
  /**
   * Rejects with a `ModelError` of one of the kinds of `modelTroubles`. Temporary failures are waited out,
   * however long they take, and each wait is reported through `on.retry`; an outage once. `on` callbacks are
   * called synchronously as the stream arrives. A request that ended early is reported through `on.usage`
   * with the usage received so far, so all costs are counted, once.
   */
  stream(request: ModelRequest, on: ModelListener, signal: AbortSignal): Promise<ModelAnswer>;
  /**
   * Asks the provider whether this key has access to the model; free. Absent if there is no provider to ask.
   * Rejects with a `ModelError` if it has not, or cannot be reached. Tried once.
   */
  checkModel?(model: string, signal: AbortSignal): Promise<void>;
  /** What all requests to the provider wait for together; absent where nothing limits them. */
  readonly scheduler?: RateLimit;
  /** The model's context window in tokens. */
  contextWindow(model: string): number;
  /** The longest answer that the model gives, in tokens. */
  maxOutputTokens(model: string): number;
}

/**
 * An hour costs more to write. `prefix-1h`: an hour for tools and system prompt, which other conversations share, and
 * five minutes for the rest.
 */
export type CacheLifetime = "5m" | "1h" | "prefix-1h";

export interface ModelRequest {
  readonly model: string;
  readonly maxTokens: number;
  /** Left out: as the provider has it. Not asked of a model that does not know it. */
  readonly effort?: Effort | undefined;
  /** How long the request stays in the provider's cache. Default: five minutes. */
  readonly cachedFor?: CacheLifetime | undefined;
  /** System prompt; stays the same to the byte for a whole conversation so that the cache hits. */
  readonly system: string;
  readonly tools: readonly ToolSchema[];
  readonly messages: readonly ModelMessage[];
  /** The requesting worker, for the shared rate limit and for the journal. */
  readonly requester: string;
  /**
   * Whether the caller should pause now. Called only between requests: waiting for a rate limit may take
   * hours, and ends with a `ModelError` of kind `left` when this becomes true. A request that was sent is
   * always completed.
   */
  readonly leaves?: (() => boolean) | undefined;
}

export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export type ModelMessage =
  | { readonly role: "user"; readonly content: readonly UserBlock[] }
  | { readonly role: "assistant"; readonly content: readonly AssistantBlock[] };

export type UserBlock =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "tool_result";
      readonly tool_use_id: string;
      readonly content: string | readonly ResultPart[];
      readonly is_error: boolean;
    };

/** A part of a tool's result, if it is more than text. */
export type ResultPart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image";
      readonly mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
      readonly data: string;
    };

/** The text of a result; pictures have none. */
export const resultText = (content: string | readonly ResultPart[]): string =>
  typeof content === "string"
    ? content
    : content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

export type AssistantBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown }
  /** Goes back unchanged. */
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string };

export interface ModelListener {
  /** The answer begins. */
  begin?(): void;
  text?(delta: string): void;
  thinking?(delta: string): void;
  retry?(reason: string, attempt: number, waitMs: number): void;
  /** Called once per attempt that the server counted, complete or cut. */
  usage?(usage: Usage): void;
}

export type StopReason =
  | "end_turn"
  | "max_tokens"
  | "stop_sequence"
  | "tool_use"
  | "pause_turn"
  | "refusal"
  | "model_context_window_exceeded";

export interface ModelAnswer {
  readonly content: readonly AssistantBlock[];
  readonly stopReason: StopReason;
  readonly usage: Usage;
  readonly model: string;
}
