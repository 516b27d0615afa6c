import { type Clock, systemClock } from "./clock.ts";
import { ModelError } from "./model-error.ts";

/**
 * One scheduler for all agents of an organisation: limits belong to the organisation, and an outage of the provider or
 * of the network is everybody's, so when one request is told to wait, all wait. First come, first served.
 */
export interface RateLimit {
  /** Waits for a free place outside of any pause. Rejects with a `ModelError` `aborted` when the signal fires. */
  acquire(requester: string, signal: AbortSignal): Promise<Release>;
  /** Lets nobody start before that time (ms since 1970). A later time wins over an earlier one. */
  pauseUntil(at: number, reason: string, remedy?: string): void;
  /**
   * Nobody gets an answer: all wait, and one at a time tries, ever more seldom, until it gets one. Safe to repeat by
   * each that finds it out.
   */
  outage(trouble: {
    readonly reason: string;
    readonly remedy: string;
    readonly retryAfterMs?: number | null;
  }): void;
  /** The provider has answered somebody: no outage. To be called before the place is given back. */
  answered(): void;
  /** How often it has. */
  readonly answers: number;
  /** Ends a pause at once, and tries at once in an outage: the user's word. */
  resume(): void;
  /** False: after a limit's pause nothing starts before `resume()`. An outage is always tried again. */
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
  readonly pause: ProviderPause | null;
}

/** What everybody waits for. */
export interface ProviderPause {
  readonly kind: "limit" | "outage";
  /** Milliseconds since 1970. */
  readonly since: number;
  /** When it ends or the next try is; null when it waits for the user. */
  readonly until: number | null;
  readonly reason: string;
  readonly remedy: string;
}

/** As many requests at once as there may be agents: it is the provider who says when they are too many. */
const mostAgents = 64;
/** Between two tries in an outage. */
const longestWaitMs = 60_000;
/** What setTimeout takes. */
const longestTimer = 2 ** 31 - 1;

interface Waiting {
  start(): void;
}

/** `until` is what is shown; `due` counts on the clock that never jumps. */
interface Pause {
  readonly kind: "limit" | "outage";
  readonly since: number;
  readonly until: number;
  readonly due: number;
  readonly reason: string;
  readonly remedy: string;
  /** Tries that failed, in an outage. */
  readonly failed: number;
  /** Whether somebody tries just now. */
  readonly isTried: boolean;
}

export function createRateLimit(
  options: {
    readonly concurrent?: number;
    readonly resumesByItself?: boolean;
    readonly clock?: Clock;
    /** Before the first try in an outage; doubles with each that fails, up to a minute. Default 5 s. */
    readonly firstTryMs?: number;
  } = {},
): RateLimit {
  const { concurrent = mostAgents, clock = systemClock, firstTryMs = 5_000 } = options;
  let resumesByItself = options.resumesByItself ?? true;
  let active = 0;
  let answers = 0;
  let paused: Pause | null = null;
  let disarm: () => void = () => {};
  const queue: Waiting[] = [];
  const listeners = new Set<(state: RateLimitState) => void>();

  const shown = ({ kind, since, until, reason, remedy }: Pause): ProviderPause => ({
    kind,
    since,
    until: kind === "outage" || resumesByItself ? until : null,
    reason,
    remedy,
  });
  const state = (): RateLimitState => ({
    active,
    waiting: queue.length,
    resumesByItself,
    pause: paused && shown(paused),
  });
  const tell = (): void => {
    for (const listener of listeners) listener(state());
  };
  const start = (next: Waiting): void => {
    active += 1;
    next.start();
  };
  const startNext = (): void => {
    while (!paused && active < concurrent) {
      const next = queue.shift();
      if (!next) return;
      start(next);
    }
  };
  /** Lets one of those that wait try; whoever tried in vain waits behind the others. */
  const tryOne = (): void => {
    if (paused?.kind !== "outage" || paused.isTried || paused.due > clock.monotonic()) return;
    const next = queue.shift();
    if (!next) return;
    paused = { ...paused, isTried: true };
    start(next);
  };
  const end = (): void => {
    disarm();
    if (!paused) return;
    paused = null;
    tell();
    startNext();
  };
  const arm = (): void => {
    disarm();
    if (!paused || (paused.kind === "limit" && !resumesByItself)) return;
    // The time of day may jump either way, and a timer must not overflow on a wait of weeks.
    const wait = Math.min(Math.max(0, paused.due - clock.monotonic()), longestTimer);
    disarm = clock.after(wait, () => {
      if (paused && paused.due > clock.monotonic()) arm();
      else if (paused?.kind === "outage") tryOne();
      else end();
    });
  };
  const pause = (next: Pause): void => {
    paused = next;
    arm();
    tell();
  };

  return {
    acquire(requester, signal) {
      return new Promise((resolve, reject) => {
        const abort = (): void => {
          const at = queue.indexOf(waiting);
          if (at >= 0) queue.splice(at, 1);
          reject(new ModelError("aborted", `that of ${requester}, while it waited`));
        };
        const waiting: Waiting = {
          start() {
            signal.removeEventListener("abort", abort);
            const isTry = paused !== null;
            let released = false;
            resolve(() => {
              if (released) return;
              released = true;
              active -= 1;
              // It was stopped before it found out anything: the next one tries.
              if (isTry && paused?.isTried) paused = { ...paused, isTried: false };
              tryOne();
              startNext();
            });
          },
        };
        if (signal.aborted) return abort();
        signal.addEventListener("abort", abort, { once: true });
        queue.push(waiting);
        startNext();
        tryOne();
      });
    },
    pauseUntil(at, reason, remedy = "") {
      const due = clock.monotonic() + at - clock.now();
      if (paused?.kind === "limit" && paused.due >= due) return;
      const since = paused?.kind === "limit" ? paused.since : clock.now();
      pause({ kind: "limit", since, until: at, due, reason, remedy, failed: 0, isTried: false });
    },
    outage({ reason, remedy, retryAfterMs }) {
      // Others that were under way find out the same thing.
      if (paused?.kind === "limit" || (paused && !paused.isTried)) return;
      const failed = paused ? paused.failed + 1 : 0;
      const wait = Math.max(
        retryAfterMs ?? 0,
        Math.min(longestWaitMs, firstTryMs * 2 ** Math.min(failed, 20)),
      );
      const now = clock.now();
      pause({
        kind: "outage",
        since: paused?.since ?? now,
        until: now + wait,
        due: clock.monotonic() + wait,
        reason,
        remedy,
        failed,
        isTried: false,
      });
    },
    answered() {
      answers += 1;
      if (paused?.kind === "outage") end();
    },
    get answers() {
      return answers;
    },
    resume() {
      if (paused?.kind !== "outage") return end();
      paused = { ...paused, until: clock.now(), due: clock.monotonic() };
      disarm();
      tell();
      tryOne();
    },
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
