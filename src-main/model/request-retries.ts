/** What failed attempts of a request mean for it and for all, and the waits between them. */
import { setTimeout as pause } from "node:timers/promises";
import type { ModelListener, ModelRequest } from "./driver-interface.ts";
import { ModelError } from "./model-error.ts";
import type { RateLimit } from "./rate-limit.ts";

export interface RetryOptions {
  readonly scheduler: RateLimit;
  /** First wait between attempts; doubles each time. Default 1 s. */
  readonly backoffMs?: number;
  /** How often a request may fail while others succeed, or with an unreadable answer. Default 6. */
  readonly attempts?: number;
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
export function createRequestRetries(
  { backoffMs = 1000, attempts = 6, scheduler }: RetryOptions,
  on: Pick<ModelListener, "retry">,
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

type Waiting = Pick<ModelRequest, "requester" | "leaves">;

/** A wait in which nothing is under way, so that it may be left at any moment. */
export async function waitUnlessNeeded<T>(
  { requester, leaves }: Waiting,
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

/** The wait between two attempts. */
export const pauseUnlessNeeded = (request: Waiting, signal: AbortSignal, ms: number): Promise<void> =>
  waitUnlessNeeded(request, signal, (until) =>
    pause(ms, undefined, { signal: until }).catch(() => {
      throw new ModelError("aborted", "between two attempts");
    }),
  );
