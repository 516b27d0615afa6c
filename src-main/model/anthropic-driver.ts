import Anthropic from "@anthropic-ai/sdk";
import type { ModelDriver } from "./driver-interface.ts";
import { ModelError } from "./model-error.ts";
import { type ModelFacts, modelFacts, shippedPrices } from "./price-table.ts";
import {
  createRequestRetries,
  pauseUnlessNeeded,
  type RetryOptions,
  waitUnlessNeeded,
} from "./request-retries.ts";
import { ListenerFailure, streamAnswer } from "./stream-answer.ts";
import { createWarmPrefixes } from "./warm-prefixes.ts";
import { fromWire } from "./wire-error.ts";

export interface AnthropicDriverOptions extends RetryOptions {
  readonly apiKey: string;
  /** Default: the provider's own address. The environment is never read here. */
  readonly baseUrl?: string;
  /** Facts about models: window, longest answer, thinking. Default: those of the shipped table. */
  readonly models?: (model: string) => ModelFacts;
  /**
   * A body that is silent for this long is aborted; the SDK's own timeout ends with the headers. Default 90
   * s.
   */
  readonly idleMs?: number;
  readonly isScripted?: boolean;
  readonly name?: string;
}

export function createAnthropicDriver(options: AnthropicDriverOptions): ModelDriver {
  const { scheduler, idleMs = 90_000 } = options;
  const prefixes = createWarmPrefixes();
  const facts = options.models ?? modelFacts(shippedPrices());
  // Not before the key was looked at: without one the SDK would look for other credentials.
  let made: Anthropic | undefined;
  const client = (): Anthropic => {
    made ??= new Anthropic({
      apiKey: options.apiKey,
      authToken: null,
      baseURL: options.baseUrl ?? "https://api.anthropic.com",
      maxRetries: 0,
      timeout: idleMs,
      logLevel: "off",
      openTelemetry: false,
    });
    return made;
  };

  return {
    name: options.name ?? "anthropic",
    isScripted: options.isScripted ?? false,
    scheduler,
    contextWindow: (model) => facts(model).contextWindow,
    maxOutputTokens: (model) => facts(model).maxOutput,

    async checkModel(model, signal) {
      refuseUnusableKey(options.apiKey);
      try {
        await client().models.retrieve(model, {}, { signal });
      } catch (caught) {
        throw fromWire(caught);
      }
    },

    async stream(request, on, signal) {
      refuseUnusableKey(options.apiKey);
      const afterFailure = createRequestRetries(options, on);
      for (;;) {
        let wait: number | null = null;
        const release = await waitUnlessNeeded(request, signal, (until) =>
          scheduler.acquire(request.requester, until),
        );
        try {
          const attempt = await waitUnlessNeeded(request, signal, (until) => prefixes.enter(request, until));
          try {
            const heard = { ...on, begin: attempt.begin };
            const answer = await streamAnswer(client(), facts(request.model), request, heard, signal, idleMs);
            scheduler.answered();
            return answer;
          } catch (caught) {
            if (caught instanceof ListenerFailure) throw caught.cause;
            if (!(caught instanceof ModelError)) throw caught;
            if (signal.aborted) throw caught;
            wait = afterFailure(caught);
          } finally {
            attempt.end();
          }
        } finally {
          release();
        }
        if (wait !== null) await pauseUnlessNeeded(request, signal, wait);
      }
    },
  };
}

/** The SDK would look for other credentials, or fail on the header with an unclear message. */
export function refuseUnusableKey(apiKey: string): void {
  if (/^[\x21-\x7e]+$/.test(apiKey)) return;
  throw new ModelError("authentication", apiKey === "" ? "none is set" : "it has characters that no key has");
}
