import { ModelError } from "./model-error.ts";

/**
 * One scheduler for all agents of an organisation: rate limits belong to the organisation, and an outage of
 * the provider or the network affects all, so when one request must wait, all wait. First come, first served.
 */
export type RateLimit = ReturnType<typeof createRateLimit>;

/** What all requests wait for, after a rate limit or in an outage. */
export interface ProviderPause {
  readonly kind: "limit" | "outage";
  /** Milliseconds since 1970. */
  readonly since: number;
  /** When it ends or the next try is; null when it waits for the user. */
  readonly until: number | null;
  readonly reason: string;
  readonly remedy: string;
}

/** `until` is what is shown; `due` counts on the clock that never jumps. */
interface TimedPause extends ProviderPause {
  readonly until: number;
  readonly due: number;
  /** Tries that failed, in an outage. */
  readonly failed: number;
  /** Whether a request is testing the connection. */
  readonly isTried: boolean;
}

/** Between two tries in an outage. */
const maxWaitMs = 60_000;

interface Time {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** On the clock that never jumps. */
  readonly monotonic: number;
}

/** No request starts before `at`, milliseconds since 1970; null if the current pause is longer already. */
function pauseForLimit(
  before: TimedPause | null,
  { at, reason, remedy }: { readonly at: number; readonly reason: string; readonly remedy: string },
  { now, monotonic }: Time,
): TimedPause | null {
  const due = monotonic + at - now;
  if (before?.kind === "limit" && before.due >= due) return null;
  const since = before?.kind === "limit" ? before.since : now;
  return { kind: "limit", since, until: at, due, reason, remedy, failed: 0, isTried: false };
}

interface Outage {
  readonly reason: string;
  readonly remedy: string;
  readonly retryAfterMs?: number | null;
}

/** The wait for the next try, twice as long with each that failed; null where this is known already. */
function pauseForOutage(
  before: TimedPause | null,
  { reason, remedy, retryAfterMs }: Outage,
  firstTryMs: number,
  { now, monotonic }: Time,
): TimedPause | null {
  // Others that were under way find out the same thing.
  if (before?.kind === "limit" || (before && !before.isTried)) return null;
  const failed = before ? before.failed + 1 : 0;
  const wait = Math.max(retryAfterMs ?? 0, Math.min(maxWaitMs, firstTryMs * 2 ** Math.min(failed, 20)));
  return {
    kind: "outage",
    since: before?.since ?? now,
    until: now + wait,
    due: monotonic + wait,
    reason,
    remedy,
    failed,
    isTried: false,
  };
}

/** For display. A rate limit's pause without an end waits for the user; an outage is always retried. */
const shownPause = (
  { kind, since, until, reason, remedy }: TimedPause,
  resumesByItself: boolean,
): ProviderPause => ({
  kind,
  since,
  until: kind === "outage" || resumesByItself ? until : null,
  reason,
  remedy,
});

/** Gives a place back. Safe to repeat. */
type Release = () => void;

export interface RateLimitState {
  readonly active: number;
  readonly waiting: number;
  readonly resumesByItself: boolean;
  readonly pause: ProviderPause | null;
}

export interface RateLimitOptions {
  /** Default: no limit, since it is the provider who says when they are too many. */
  readonly concurrent?: number;
  readonly resumesByItself?: boolean;
  readonly clock?: Clock;
  /** Before the first try in an outage; doubles with each that fails, up to a minute. Default 5 s. */
  readonly firstTryMs?: number;
}

export function createRateLimit(options: RateLimitOptions = {}) {
  const { concurrent = Number.POSITIVE_INFINITY, clock = systemClock, firstTryMs = 5_000 } = options;
  let resumesByItself = options.resumesByItself ?? true;
  let answers = 0;
  let active = 0;
  /** While it is set no request starts, except for those that test whether an outage is over. */
  let pause: TimedPause | null = null;
  let disarm: () => void = () => {};
  /** What begins the requests that wait for a place, first come, first served. */
  const queue: ((release: Release) => void)[] = [];
  const listeners = new Set<(state: RateLimitState) => void>();

  const takePlace = (): Release => {
    active += 1;
    const isTry = pause !== null;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      active -= 1;
      // It was stopped before it found out anything: the next one tries.
      if (isTry && pause?.isTried) pause = { ...pause, isTried: false };
      startWaiting();
    };
  };
  const startFirst = (): boolean => {
    const start = queue.shift();
    start?.(takePlace());
    return start !== undefined;
  };
  /** Begins those for which there is room and time. */
  const startWaiting = (): void => {
    // One of them tests; a failed one queues up again.
    if (pause?.kind === "outage" && !pause.isTried && pause.due <= clock.monotonic() && startFirst())
      pause = { ...pause, isTried: true };
    while (!pause && active < concurrent) if (!startFirst()) return;
  };

  const time = () => ({ now: clock.now(), monotonic: clock.monotonic() });
  const state = (): RateLimitState => ({
    active,
    waiting: queue.length,
    resumesByItself,
    pause: pause && shownPause(pause, resumesByItself),
  });
  const tell = (): void => {
    for (const listener of listeners) listener(state());
  };
  const end = (): void => {
    disarm();
    if (!pause) return;
    pause = null;
    tell();
    startWaiting();
  };
  const arm = (): void => {
    disarm();
    if (!pause || (pause.kind === "limit" && !resumesByItself)) return;
    disarm = callAt(clock, pause.due, pause.kind === "outage" ? startWaiting : end);
  };
  const begin = (next: TimedPause | null): void => {
    if (!next) return;
    pause = next;
    arm();
    tell();
  };

  return {
    /** Waits for a free place outside of any pause. Rejects with a `ModelError` `aborted` when the signal fires. */
    acquire: (requester: string, signal: AbortSignal): Promise<Release> =>
      new Promise((resolve, reject) => {
        const abort = (): void => {
          const at = queue.indexOf(start);
          if (at >= 0) queue.splice(at, 1);
          reject(new ModelError("aborted", `that of ${requester}, while it waited`));
        };
        const start = (release: Release): void => {
          signal.removeEventListener("abort", abort);
          resolve(release);
        };
        if (signal.aborted) return abort();
        signal.addEventListener("abort", abort, { once: true });
        queue.push(start);
        startWaiting();
      }),
    /** Starts no request before that time (ms since 1970). A later time wins over an earlier one. */
    pauseUntil: (at: number, reason: string, remedy: string = ""): void =>
      begin(pauseForLimit(pause, { at, reason, remedy }, time())),
    /**
     * Nobody gets an answer: all wait, and one at a time tries, ever more seldom, until it gets one. Safe to repeat by
     * each that finds it out.
     */
    outage: (trouble: Outage): void => begin(pauseForOutage(pause, trouble, firstTryMs, time())),
    /** A request succeeded, so there is no outage. Call it before releasing the slot. */
    answered(): void {
      answers += 1;
      if (pause?.kind === "outage") end();
    },
    /** How often it has. */
    get answers(): number {
      return answers;
    },
    /** Ends a pause at once, and tries at once in an outage: the user's word. */
    resume(): void {
      if (pause?.kind !== "outage") {
        end();
        return;
      }
      const { now, monotonic } = time();
      pause = { ...pause, until: now, due: monotonic };
      disarm();
      tell();
      startWaiting();
    },
    /** False: after a limit's pause nothing starts before `resume()`. An outage is always tried again. */
    setResumesByItself(resumes: boolean): void {
      resumesByItself = resumes;
      arm();
      tell();
    },
    get state(): RateLimitState {
      return state();
    },
    /** Called after every change of the pause; returns a function that stops listening. */
    onPause(listener: (state: RateLimitState) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * Calls once after this time, not counting pauses of the provider.
 *
 * @returns cancels it
 */
export function afterActiveTime(
  ms: number,
  scheduler: Pick<RateLimit, "state" | "onPause"> | undefined,
  call: () => void,
  clock: Clock = systemClock,
): () => void {
  let left = ms;
  let begun: number | null = null;
  let disarm = (): void => {};
  const stand = (): void => {
    if (begun === null) return;
    disarm();
    left -= clock.monotonic() - begun;
    begun = null;
  };
  const go = (): void => {
    if (begun !== null) return;
    begun = clock.monotonic();
    disarm = clock.after(Math.max(0, left), () => {
      stop();
      call();
    });
  };
  const forget = scheduler?.onPause(({ pause }) => (pause === null ? go() : stand()));
  const stop = (): void => {
    disarm();
    forget?.();
  };
  if (!scheduler?.state.pause) go();
  return stop;
}

/** The time, and what happens later: real, or made to pass by a test. */
interface Clock {
  /** Milliseconds since 1970; may jump. */
  now(): number;
  /** Milliseconds that never jump. */
  monotonic(): number;
  /** Calls once after this time, unless the returned function is called first. */
  after(ms: number, call: () => void): () => void;
}

const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

/** What setTimeout takes. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Calls once when the monotonic clock reaches `due`, unless the returned function is called first. The time
 * of day may jump either way, and a timer must not overflow on a wait of weeks.
 */
function callAt(clock: Clock, due: number, call: () => void): () => void {
  let disarm: () => void = () => {};
  const arm = (): void => {
    const wait = Math.min(Math.max(0, due - clock.monotonic()), maxTimerMs);
    disarm = clock.after(wait, () => {
      if (due > clock.monotonic()) arm();
      else call();
    });
  };
  arm();
  return () => disarm();
}
