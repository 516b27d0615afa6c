import Anthropic from "@anthropic-ai/sdk";
import type { ModelDriver } from "./driver-interface.ts";
import { pauseFor, waitUnlessNeeded } from "./leave-wait.ts";
import { ModelError } from "./model-error.ts";
import { shippedPrices } from "./price.ts";
import { type ModelFacts, modelFacts } from "./price-table.ts";
import type { RateLimit } from "./rate-limit.ts";
import { createRequestRetries } from "./request-retries.ts";
import { ListenerFailure, streamAnswer } from "./stream-answer.ts";
import { fromWire } from "./wire-error.ts";

export interface AnthropicDriverOptions {
  readonly apiKey: string;
  /** Default: the provider's own address. The environment is never read here. */
  readonly baseUrl?: string;
  readonly scheduler: RateLimit;
  /** Facts about models: window, longest answer, thinking. Default: those of the shipped table. */
  readonly models?: (model: string) => ModelFacts;
  /** A body that is silent for so long is aborted; the SDK's own timeout ends with the headers. Default 90 s. */
  readonly idleMs?: number;
  readonly isScripted?: boolean;
  readonly name?: string;
  /** First wait between attempts; doubles each time. Default 1 s. */
  readonly backoffMs?: number;
  /** How often a request may fail while others get answers, or with an answer that nobody can read. Default 6. */
  readonly attempts?: number;
}

export function createAnthropicDriver(options: AnthropicDriverOptions): ModelDriver {
  const { scheduler, idleMs = 90_000, backoffMs = 1000, attempts = 6 } = options;
  const facts = options.models ?? modelFacts(shippedPrices());
  const client = (fetch: typeof globalThis.fetch): Anthropic =>
    new Anthropic({
      apiKey: options.apiKey,
      authToken: null,
      baseURL: options.baseUrl ?? "https://api.anthropic.com",
      maxRetries: 0,
      timeout: idleMs,
      logLevel: "off",
      openTelemetry: false,
      fetch,
    });

  return {
    name: options.name ?? "anthropic",
    isScripted: options.isScripted ?? false,
    scheduler,
    contextWindow: (model) => facts(model).contextWindow,
    maxOutputTokens: (model) => facts(model).maxOutput,

    async checkModel(model, signal) {
      refuseUnusableKey(options.apiKey);
      try {
        await client(globalThis.fetch).models.retrieve(model, {}, { signal });
      } catch (caught) {
        throw fromWire(caught);
      }
    },

    async stream(request, on, signal) {
      refuseUnusableKey(options.apiKey);
      const retries = createRequestRetries({ scheduler, on, backoffMs, attempts });
      for (;;) {
        const release = await waitUnlessNeeded(request, signal, (until) =>
          scheduler.acquire(request.requester, until),
        );
        let wait: number | null = null;
        try {
          const answer = await streamAnswer(client, facts(request.model), request, on, signal, idleMs);
          scheduler.answered();
          return answer;
        } catch (caught) {
          if (caught instanceof ListenerFailure) throw caught.cause;
          if (!(caught instanceof ModelError)) throw caught;
          if (signal.aborted) throw caught;
          wait = retries.afterFailure(caught);
        } finally {
          release();
        }
        if (wait !== null) {
          const ms = wait;
          await waitUnlessNeeded(request, signal, (until) => pauseFor(ms, until));
        }
      }
    },
  };
}

/** The SDK would look for other credentials, or fail on the header in words that help nobody. */
function refuseUnusableKey(apiKey: string): void {
  if (/^[\x21-\x7e]+$/.test(apiKey)) return;
  throw new ModelError("authentication", apiKey === "" ? "none is set" : "it has characters that no key has");
}
