import type { ModelListener } from "./driver-interface.ts";
import type { ModelError } from "./model-error.ts";
import type { RateLimit } from "./rate-limit.ts";

/** So often a request fails by itself before it is taken for an outage. */
const failuresBeforeOutage = 3;
const maxBackoffMs = 60_000;

export interface RetryOptions {
  readonly scheduler: RateLimit;
  readonly on: ModelListener;
  /** First wait between attempts; doubles each time. */
  readonly backoffMs: number;
  /** How often a request may fail while others get answers, or with an answer that nobody can read. */
  readonly attempts: number;
}

export interface RequestRetries {
  /**
   * Takes note of a failed attempt: tells the listener, and the others where it is theirs too.
   * @returns milliseconds that this request waits before its next attempt; null where the scheduler says when
   * @throws the error itself where the request is not tried again
   */
  afterFailure(error: ModelError): number | null;
}

/** What one request has met so far, and what its next failure means for it and for all. */
export function createRequestRetries({ scheduler, on, backoffMs, attempts }: RetryOptions): RequestRetries {
  let failures = 0;
  /** Failures since anybody got an answer. */
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
    if (error.course === "few" || (error.course === "again" && unanswered === 1)) own += 1;
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

  return {
    afterFailure(error) {
      switch (error.course) {
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
          if (error.course === "few") return backoff(error, failures - 1);
          reportOutage(error);
          return null;
        }
      }
    },
  };
}
