import { setTimeout as pause } from "node:timers/promises";
import Anthropic from "@anthropic-ai/sdk";
import type { ModelDriver, ModelListener, ModelRequest } from "./driver-interface.ts";
import { ModelError } from "./model-error.ts";
import { type ModelFacts, modelFacts, shippedPrices } from "./price-table.ts";
import type { RateLimit } from "./rate-limit.ts";
import { ListenerFailure, streamAnswer } from "./stream-answer.ts";
import { createWarmPrefixes } from "./warm-prefixes.ts";
import { fromWire } from "./wire-error.ts";

export interface AnthropicDriverOptions {
  readonly apiKey: string;
  /** Default: the provider's own address. The environment is never read here. */
  readonly baseUrl?: string;
  readonly scheduler: RateLimit;
  /** Facts about models: window, longest answer, thinking. Default: those of the shipped table. */
  readonly models?: (model: string) => ModelFacts;
  /**
   * A body that is silent for this long is aborted; the SDK's own timeout ends with the headers. Default 90
   * s.
   */
  readonly idleMs?: number;
  readonly isScripted?: boolean;
  readonly name?: string;
  /** First wait between attempts; doubles each time. Default 1 s. */
  readonly backoffMs?: number;
  /** How often a request may fail while others succeed, or with an unreadable answer. Default 6. */
  readonly attempts?: number;
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
        if (wait !== null) {
          const ms = wait;
          await waitUnlessNeeded(request, signal, (until) =>
            pause(ms, undefined, { signal: until }).catch(() => {
              throw new ModelError("aborted", "between two attempts");
            }),
          );
        }
      }
    },
  };
}

/** Failures of a request before it counts as an outage. */
const failuresBeforeOutage = 3;
const maxBackoffMs = 60_000;

/**
 * The failures of one request, and what the next one means for it and for all.
 * @returns records a failed attempt: notifies the listener, and the scheduler if it concerns all. It answers how many
 *   milliseconds this request waits before its next attempt, or null if the scheduler decides; it throws the error
 *   itself if the request is not retried
 */
function createRequestRetries(
  { backoffMs = 1000, attempts = 6, scheduler }: AnthropicDriverOptions,
  on: ModelListener,
): (error: ModelError) => number | null {
  let failures = 0;
  /** Failures since the last answer to any request. */
  let unanswered = 0;
  /** Failures of this request alone, while others got answers. */
  let own = 0;
  let limited = 0;
  let { answers } = scheduler;
  let isOutageReported = false;

  // Jitter only upwards: the server's `retry-after` is a minimum.
  const backoff = (error: ModelError, tries: number): number =>
    Math.round(
      error.retryAfterMs ?? Math.min(maxBackoffMs, backoffMs * 2 ** tries) * (1 + Math.random() * 0.2),
    );

  const pauseForLimit = (error: ModelError): void => {
    limited += 1;
    const pause = backoff(error, limited - 1);
    on.retry?.(error.message, limited, pause);
    scheduler.pauseUntil(Date.now() + pause, error.message, error.remedy);
  };

  const countFailure = (error: ModelError): void => {
    failures += 1;
    if (scheduler.answers > answers) unanswered = 0;
    unanswered += 1;
    if (error.recovery === "few" || (error.recovery === "again" && unanswered === 1)) own += 1;
    answers = scheduler.answers;
  };

  const reportOutage = (error: ModelError): void => {
    scheduler.outage({ reason: error.message, remedy: error.remedy, retryAfterMs: error.retryAfterMs });
    // Once for each that waits, however often it is tried.
    const { pause } = scheduler.state;
    if (!isOutageReported && pause)
      on.retry?.(error.message, failures, Math.max(0, (pause.until ?? 0) - Date.now()));
    isOutageReported = true;
  };

  return (error) => {
    switch (error.recovery) {
      case "at-once":
      case "shorter":
        scheduler.answered();
        throw error;
      case "limit":
        pauseForLimit(error);
        return null;
      case "few":
      case "again":
      case "outage": {
        countFailure(error);
        if (own >= attempts) throw error;
        if (scheduler.state.pause === null && unanswered < failuresBeforeOutage) {
          const wait = backoff(error, failures - 1);
          on.retry?.(error.message, failures, wait);
          return wait;
        }
        if (error.recovery === "few") return backoff(error, failures - 1);
        reportOutage(error);
        return null;
      }
    }
  };
}

/** How often one that waits looks whether it has to be elsewhere. */
const lookMs = 250;

/** A wait in which nothing is under way, so that it may be left at any moment. */
async function waitUnlessNeeded<T>(
  { requester, leaves }: ModelRequest,
  signal: AbortSignal,
  wait: (until: AbortSignal) => Promise<T>,
): Promise<T> {
  if (!leaves) return wait(signal);
  const left = new AbortController();
  const look = setInterval(() => {
    if (leaves()) left.abort();
  }, lookMs);
  try {
    return await wait(AbortSignal.any([signal, left.signal]));
  } catch (error) {
    if (!left.signal.aborted || signal.aborted) throw error;
    throw new ModelError("left", `${requester} is needed elsewhere while it waits`);
  } finally {
    clearInterval(look);
  }
}

/** The SDK would look for other credentials, or fail on the header with an unclear message. */
function refuseUnusableKey(apiKey: string): void {
  if (/^[\x21-\x7e]+$/.test(apiKey)) return;
  throw new ModelError("authentication", apiKey === "" ? "none is set" : "it has characters that no key has");
}
