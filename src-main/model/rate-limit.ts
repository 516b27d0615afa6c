import { ModelError } from "./model-error.ts";

/**
 * One scheduler for all agents of an organisation: limits belong to the organisation, so when one request is told
 * to wait, all wait. First come, first served.
 */
export interface RateLimit {
  /** Waits for a free place outside of any pause. Rejects with a `ModelError` `aborted` when the signal fires. */
  acquire(requester: string, signal: AbortSignal): Promise<Release>;
  /** Lets nobody start before that time (ms since 1970). A later time wins over an earlier one. */
  pauseUntil(at: number, reason: string): void;
  /** Ends a pause at once: the user's word. */
  resume(): void;
  /** False: after a pause nothing starts before `resume()`. */
  setResumesByItself(resumes: boolean): void;
  readonly state: RateLimitState;
  /** Told after every change of the pause; returns how to stop listening. */
  onPause(listener: (state: RateLimitState) => void): () => void;
}

export type Release = () => void;

export interface RateLimitState {
  readonly active: number;
  readonly waiting: number;
  readonly resumesByItself: boolean;
  /** `until` is null when it waits for the user. */
  readonly pause: { readonly until: number | null; readonly reason: string } | null;
}

/** As many requests at once as there may be agents: it is the provider who says when they are too many. */
const mostAgents = 64;

interface Waiting {
  start(): void;
}

export function createRateLimit(
  options: { concurrent?: number; resumesByItself?: boolean; now?: () => number } = {},
): RateLimit {
  const { concurrent = mostAgents, now = Date.now } = options;
  let resumesByItself = options.resumesByItself ?? true;
  let active = 0;
  /** `until` is what is shown; `due` counts on the clock that never jumps. */
  let paused: { until: number; due: number; reason: string } | null = null;
  let timer: NodeJS.Timeout | undefined;
  const queue: Waiting[] = [];
  const listeners = new Set<(state: RateLimitState) => void>();

  const state = (): RateLimitState => ({
    active,
    waiting: queue.length,
    resumesByItself,
    pause: paused && { until: resumesByItself ? paused.until : null, reason: paused.reason },
  });
  const tell = (): void => {
    for (const listener of listeners) listener(state());
  };
  const startNext = (): void => {
    while (!paused && active < concurrent) {
      const next = queue.shift();
      if (!next) return;
      active += 1;
      next.start();
    }
  };
  const end = (): void => {
    clearTimeout(timer);
    if (!paused) return;
    paused = null;
    tell();
    startNext();
  };
  const arm = (): void => {
    clearTimeout(timer);
    if (!paused || !resumesByItself) return;
    // The time of day may jump either way, and setTimeout must not overflow on a wait of weeks.
    const wait = Math.min(Math.max(0, paused.due - performance.now()), 2 ** 31 - 1);
    timer = setTimeout(() => {
      if (paused && paused.due > performance.now()) arm();
      else end();
    }, wait);
  };

  return {
    acquire(requester, signal) {
      return new Promise((resolve, reject) => {
        const abort = (): void => {
          const at = queue.indexOf(waiting);
          if (at >= 0) queue.splice(at, 1);
          reject(new ModelError("aborted", `The request of ${requester} was stopped while it waited`));
        };
        const waiting: Waiting = {
          start() {
            signal.removeEventListener("abort", abort);
            let released = false;
            resolve(() => {
              if (released) return;
              released = true;
              active -= 1;
              startNext();
            });
          },
        };
        if (signal.aborted) return abort();
        signal.addEventListener("abort", abort, { once: true });
        queue.push(waiting);
        startNext();
      });
    },
    pauseUntil(at, reason) {
      const due = performance.now() + at - now();
      if (paused && paused.due >= due) return;
      paused = { until: at, due, reason };
      arm();
      tell();
    },
    resume: end,
    setResumesByItself(resumes) {
      resumesByItself = resumes;
      arm();
      tell();
    },
    get state() {
      return state();
    },
    onPause(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
