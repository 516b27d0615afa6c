import type Anthropic from "@anthropic-ai/sdk";
import type { Usage } from "#shared/domain/spending/usage.ts";
import { ModelError } from "./model-error.ts";

/** More than any model reads or writes in one request. */
const maxTokens = 100_000_000;

/**
 * A number of tokens as the wire tells it. What it tells counts against a budget, so an impossible one ends the request.
 *
 * @throws ModelError `malformed` for what is no number of tokens
 */
function tokens(reported: unknown, otherwise: number): number {
  if (reported === undefined || reported === null) return otherwise;
  if (Number.isSafeInteger(reported) && Number(reported) >= 0 && Number(reported) <= maxTokens)
    return Number(reported);
  throw new ModelError("malformed", `it reports ${JSON.stringify(reported)?.slice(0, 40)} used tokens`);
}

/** Adds up what the wire says about one attempt's tokens. Its numbers are running totals, never increments. */
export class UsageMeter {
  #started = false;
  #complete = false;
  #input = 0;
  #cacheRead = 0;
  #write5m = 0;
  #write1h = 0;
  #output = 0;
  #characters = 0;

  count(event: Anthropic.MessageStreamEvent): void {
    if (event.type === "message_start") {
      const { usage } = event.message;
      this.#started = true;
      this.#input = tokens(usage.input_tokens, 0);
      this.#cacheRead = tokens(usage.cache_read_input_tokens, 0);
      this.#write1h = tokens(usage.cache_creation?.ephemeral_1h_input_tokens, 0);
      this.#write5m = tokens(
        usage.cache_creation?.ephemeral_5m_input_tokens,
        Math.max(0, tokens(usage.cache_creation_input_tokens, 0) - this.#write1h),
      );
      this.#output = tokens(usage.output_tokens, 0);
    }
    if (event.type === "message_delta") {
      const { usage } = event;
      this.#complete = usage.output_tokens !== undefined;
      this.#input = tokens(usage.input_tokens, this.#input);
      this.#cacheRead = tokens(usage.cache_read_input_tokens, this.#cacheRead);
      this.#output = tokens(usage.output_tokens, this.#output);
    }
    if (event.type === "content_block_delta") {
      const { delta } = event;
      if (delta.type === "text_delta") this.#characters += delta.text.length;
      if (delta.type === "thinking_delta") this.#characters += delta.thinking.length;
      if (delta.type === "input_json_delta") this.#characters += delta.partial_json.length;
    }
  }

  /** Null while the server has not begun to count. */
  soFar(): Usage | null {
    return this.#started ? this.total() : null;
  }

  /**
   * A cut answer never told its output tokens, yet they are charged: four characters make one token, roughly, so
   * that a budget errs by little instead of by everything.
   */
  total(): Usage {
    return {
      input: this.#input,
      cacheWrite5m: this.#write5m,
      cacheWrite1h: this.#write1h,
      cacheRead: this.#cacheRead,
      output: this.#complete ? this.#output : Math.max(this.#output, Math.ceil(this.#characters / 4)),
    };
  }
}
