/** What the wires report about the tokens of one answer, as our own `Usage`. */

import { contextTokens, noUsage, type Usage } from "#shared/domain/spending/usage.ts";
import type { Wire } from "#shared/domain/worker/agent-choice.ts";
import { ModelError } from "./model-error.ts";

export type { Wire };

export interface Metered {
  readonly usage: Usage;
  /** True if the provider did not report all of it, so that a part was estimated. */
  readonly isEstimated: boolean;
}

/** Adds up what the wire says about the tokens of one answer. */
export interface AnswerMeter {
  /** An event of a stream, or a whole answer. Throws a `ModelError` `malformed` for an impossible number of tokens. */
  count(event: unknown): void;
  /** Whether the wire's last event came. */
  readonly isComplete: boolean;
  /**
   * The cost so far. Null: the provider refused the request before it read it.
   *
   * @param inputEstimate tokens of the request, for as long as the provider has not reported them
   * @param isCut whether the answer broke off
   */
  soFar(inputEstimate: number, isCut: boolean): Metered | null;
}

export function createMeter(wire: Wire): AnswerMeter {
  switch (wire) {
    case "anthropic":
      return new AnthropicMeter();
    case "openai-responses":
      return new TotalsMeter(readResponsesEvent);
    case "openai-chat":
      return new TotalsMeter(readChatChunk);
    case "gemini":
      return new TotalsMeter(readGeminiChunk);
  }
}

/** Of a text that a model has written. */
const charactersPerToken = 4;

/** More than any model reads or writes in one request. */
const maxTokens = 100_000_000;

/**
 * A number of tokens from the response. It counts against a budget, so an impossible one ends the request.
 *
 * @throws ModelError `malformed` if it is not a number of tokens
 */
function tokens(reported: unknown, otherwise: number): number {
  if (reported === undefined || reported === null) return otherwise;
  if (Number.isSafeInteger(reported) && Number(reported) >= 0 && Number(reported) <= maxTokens)
    return Number(reported);
  throw new ModelError("malformed", `it reports ${JSON.stringify(reported)?.slice(0, 40)} used tokens`);
}

/** Of Anthropic Messages. Its numbers are running totals, never increments. */
export class AnthropicMeter implements AnswerMeter {
  #isStarted = false;
  #isReported = false;
  #isFailed = false;
  #isComplete = false;
  #usage = noUsage;
  #characters = 0;

  count(event: unknown): void {
    switch (at(event, "type")) {
      case "message_start":
        this.#start(at(event, "message", "usage"));
        return;
      case "message":
        this.#start(at(event, "usage"));
        this.#isReported = this.#isStarted;
        this.#characters = textLength(at(event, "content"));
        this.#isComplete = true;
        return;
      case "message_delta":
        this.#update(at(event, "usage"));
        return;
      case "message_stop":
        this.#isComplete = true;
        return;
      case "error":
        this.#isFailed = true;
        return;
      case "content_block_delta":
        for (const key of ["text", "thinking", "partial_json"])
          this.#characters += lengthOf(at(event, "delta", key));
    }
  }

  #start(usage: unknown): void {
    if (typeof usage !== "object" || usage === null) return;
    this.#isStarted = true;
    const cacheWrite1h = tokens(at(usage, "cache_creation", "ephemeral_1h_input_tokens"), 0);
    this.#usage = {
      input: tokens(at(usage, "input_tokens"), 0),
      cacheRead: tokens(at(usage, "cache_read_input_tokens"), 0),
      cacheWrite1h,
      cacheWrite5m: tokens(
        at(usage, "cache_creation", "ephemeral_5m_input_tokens"),
        Math.max(0, tokens(at(usage, "cache_creation_input_tokens"), 0) - cacheWrite1h),
      ),
      output: tokens(at(usage, "output_tokens"), 0),
    };
  }

  #update(usage: unknown): void {
    if (typeof usage !== "object" || usage === null) return;
    const { input, cacheRead, output } = this.#usage;
    this.#isStarted = true;
    this.#isReported = at(usage, "output_tokens") !== undefined;
    this.#usage = {
      ...this.#usage,
      input: tokens(at(usage, "input_tokens"), input),
      cacheRead: tokens(at(usage, "cache_read_input_tokens"), cacheRead),
      output: tokens(at(usage, "output_tokens"), output),
    };
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  soFar(inputEstimate = 0): Metered | null {
    if (contextTokens(this.#usage) > 0) return { usage: this.total(), isEstimated: !this.#isReported };
    if (this.#isFailed || inputEstimate + this.#usage.output === 0) return null;
    return { usage: { ...this.#totals(), input: inputEstimate }, isEstimated: true };
  }

  /** @throws ModelError `malformed` if nothing was reported */
  total(): Usage {
    if (!this.#isStarted) throw new ModelError("malformed", "it does not report its used tokens");
    return this.#totals();
  }

  /** A truncated answer never reports its output tokens, which are charged anyway: they are estimated. */
  #totals(): Usage {
    const { output } = this.#usage;
    return {
      ...this.#usage,
      output: this.#isReported ? output : Math.max(output, tokensOf(this.#characters)),
    };
  }
}

/** What one event of a wire without running counts says. */
interface EventTokens {
  /** Totals of the answer so far. */
  readonly usage: Usage | null;
  /** Of the answer's text, thoughts and calls in it. */
  readonly characters: number;
  readonly isLast: boolean;
  readonly isError: boolean;
}

/** Of wires that report totals, some of them only at the end. */
class TotalsMeter implements AnswerMeter {
  readonly #read: (event: unknown) => EventTokens;
  #usage: Usage | null = null;
  #characters = 0;
  #isFailed = false;
  #isComplete = false;

  constructor(read: (event: unknown) => EventTokens) {
    this.#read = read;
  }

  count(event: unknown): void {
    const { usage, characters, isLast, isError } = this.#read(event);
    this.#usage = usage ?? this.#usage;
    this.#characters += characters;
    this.#isFailed ||= isError;
    this.#isComplete ||= isLast;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  soFar(inputEstimate: number, isCut: boolean): Metered | null {
    const output = tokensOf(this.#characters);
    if (this.#usage === null)
      return this.#isFailed && output === 0
        ? null
        : { usage: { ...noUsage, input: inputEstimate, output }, isEstimated: true };
    if (this.#isComplete || !isCut) return { usage: this.#usage, isEstimated: false };
    return { usage: { ...this.#usage, output: Math.max(output, this.#usage.output) }, isEstimated: true };
  }
}

/** Usage stands only in the last event, and encrypted thoughts only at the end of each. */
function readResponsesEvent(event: unknown): EventTokens {
  const type = at(event, "type");
  const isWhole = at(event, "object") === "response";
  const response = isWhole ? event : at(event, "response");
  const thoughts = type === "response.output_item.done" ? at(event, "item", "encrypted_content") : undefined;
  return {
    usage: openAiUsage(at(response, "usage"), ["input_tokens", "output_tokens"]),
    characters:
      lengthOf(at(event, "delta")) + lengthOf(thoughts) + (isWhole ? textLength(at(event, "output")) : 0),
    isLast: ["completed", "incomplete", "failed", "cancelled"].includes(String(at(response, "status"))),
    isError: type === "error" || at(response, "status") === "failed",
  };
}

/** Usage is in the chunk before the end, without choices; some servers repeat it in every chunk. */
function readChatChunk(event: unknown): EventTokens {
  const choices = listOf(at(event, "choices"));
  const usage = openAiUsage(at(event, "usage"), ["prompt_tokens", "completion_tokens"]);
  return {
    usage,
    characters: choices.reduce<number>(
      (sum, choice) => sum + textLength(at(choice, "delta") ?? at(choice, "message")),
      0,
    ),
    isLast: usage !== null && (choices.length === 0 || at(event, "object") === "chat.completion"),
    isError: at(event, "error") !== undefined,
  };
}

function openAiUsage(usage: unknown, [inputName, outputName]: readonly [string, string]): Usage | null {
  if (typeof usage !== "object" || usage === null) return null;
  const detail = (name: string): number => tokens(at(usage, `${inputName}_details`, name), 0);
  const whole = tokens(at(usage, inputName), 0);
  const cacheRead = detail("cached_tokens");
  const cacheWrite5m = detail("cache_write_tokens");
  return {
    input: Math.max(0, whole - cacheRead - cacheWrite5m),
    cacheRead,
    cacheWrite5m,
    cacheWrite1h: 0,
    // Some servers leave the thoughts out of the output, and not out of the total.
    output: Math.max(tokens(at(usage, outputName), 0), tokens(at(usage, "total_tokens"), 0) - whole),
  };
}

/** Each chunk has the totals so far. */
function readGeminiChunk(event: unknown): EventTokens {
  const usage = at(event, "usageMetadata");
  const candidates = listOf(at(event, "candidates"));
  const count = (name: string): number => tokens(at(usage, name), 0);
  const parts = candidates.flatMap((one) => listOf(at(one, "content", "parts")));
  const input = count("promptTokenCount") + count("toolUsePromptTokenCount");
  return {
    usage:
      usage === undefined
        ? null
        : {
            ...noUsage,
            input: Math.max(0, input - count("cachedContentTokenCount")),
            cacheRead: count("cachedContentTokenCount"),
            output: Math.max(
              count("candidatesTokenCount") + count("thoughtsTokenCount"),
              count("totalTokenCount") - input,
            ),
          },
    characters: parts.reduce<number>((sum, part) => sum + textLength(part), 0),
    // Some models name a reason for the end in every chunk.
    isLast: false,
    isError: at(event, "error") !== undefined,
  };
}

const tokensOf = (characters: number): number => Math.ceil(characters / charactersPerToken);

/** A value in JSON that others wrote. */
export const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Record<string, unknown>)[key]
        : undefined,
    value,
  );

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const lengthOf = (value: unknown): number => (typeof value === "string" ? value.length : 0);

/** Characters of all texts in a part of an answer. */
const textLength = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? Object.values(value).reduce((sum: number, inner: unknown) => sum + textLength(inner), 0)
    : lengthOf(value);
