import { type Clock, callAt, systemClock } from "./clock.ts";
import { ModelError } from "./model-error.ts";
import {
  type Outage,
  type ProviderPause,
  pauseForLimit,
  pauseForOutage,
  shownPause,
  type TimedPause,
} from "./provider-pause.ts";

/**
 * One scheduler for all agents of an organisation: rate limits belong to the organisation, and an outage of
 * the provider or the network affects all, so when one request must wait, all wait. First come, first served.
 */
export interface RateLimit {
  /** Waits for a free place outside of any pause. Rejects with a `ModelError` `aborted` when the signal fires. */
  acquire(requester: string, signal: AbortSignal): Promise<Release>;
  /** Starts no request before that time (ms since 1970). A later time wins over an earlier one. */
  pauseUntil(at: number, reason: string, remedy?: string): void;
  /**
   * Nobody gets an answer: all wait, and one at a time tries, ever more seldom, until it gets one. Safe to repeat by
   * each that finds it out.
   */
  outage(trouble: Outage): void;
  /** A request succeeded, so there is no outage. Call it before releasing the slot. */
  answered(): void;
  /** How often it has. */
  readonly answers: number;
  /** Ends a pause at once, and tries at once in an outage: the user's word. */
  resume(): void;
  /** False: after a limit's pause nothing starts before `resume()`. An outage is always tried again. */
  setResumesByItself(resumes: boolean): void;
  readonly state: RateLimitState;
  /** Called after every change of the pause; returns a function that stops listening. */
  onPause(listener: (state: RateLimitState) => void): () => void;
}

/** Gives a place back. Safe to repeat. */
type Release = () => void;

/** Requests that wait for a place, first come, first served. */
interface RequestQueue {
  readonly active: number;
  readonly waiting: number;
  /** While it is set no request starts, except for those that test whether an outage is over. */
  pause: TimedPause | null;
  /** Rejects with a `ModelError` `aborted` when the signal fires before its turn. */
  acquire(requester: string, signal: AbortSignal): Promise<Release>;
  /** Begins those for which there is room and time. */
  startWaiting(): void;
}

interface Waiting {
  start(release: Release): void;
}

function createRequestQueue(concurrent: number, clock: Clock): RequestQueue {
  const queue: Waiting[] = [];
  let active = 0;
  let pause: TimedPause | null = null;

  const startFirst = (): boolean => {
    const next = queue.shift();
    next?.start(takePlace());
    return next !== undefined;
  };
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
  const startWaiting = (): void => {
    // One of them tests; a failed one queues up again.
    if (pause?.kind === "outage" && !pause.isTried && pause.due <= clock.monotonic() && startFirst())
      pause = { ...pause, isTried: true };
    while (!pause && active < concurrent) if (!startFirst()) return;
  };

  return {
    get active() {
      return active;
    },
    get waiting() {
      return queue.length;
    },
    get pause() {
      return pause;
    },
    set pause(next) {
      pause = next;
    },
    acquire(requester, signal) {
      const place = waitForTurn(queue, requester, signal);
      startWaiting();
      return place;
    },
    startWaiting,
  };
}

const waitForTurn = (queue: Waiting[], requester: string, signal: AbortSignal): Promise<Release> =>
  new Promise((resolve, reject) => {
    const abort = (): void => {
      const at = queue.indexOf(waiting);
      if (at >= 0) queue.splice(at, 1);
      reject(new ModelError("aborted", `that of ${requester}, while it waited`));
    };
    const waiting: Waiting = {
      start(release) {
        signal.removeEventListener("abort", abort);
        resolve(release);
      },
    };
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    queue.push(waiting);
  });

export interface RateLimitState {
  readonly active: number;
  readonly waiting: number;
  readonly resumesByItself: boolean;
  readonly pause: ProviderPause | null;
}

/** As many requests at once as there may be agents: it is the provider who says when they are too many. */
const maxAgents = 64;

export interface RateLimitOptions {
  readonly concurrent?: number;
  readonly resumesByItself?: boolean;
  readonly clock?: Clock;
  /** Before the first try in an outage; doubles with each that fails, up to a minute. Default 5 s. */
  readonly firstTryMs?: number;
}

export function createRateLimit(options: RateLimitOptions = {}): RateLimit {
  const { concurrent = maxAgents, clock = systemClock, firstTryMs = 5_000 } = options;
  let resumesByItself = options.resumesByItself ?? true;
  let answers = 0;
  let disarm: () => void = () => {};
  const queue = createRequestQueue(concurrent, clock);
  const listeners = new Set<(state: RateLimitState) => void>();

  const time = () => ({ now: clock.now(), monotonic: clock.monotonic() });
  const state = (): RateLimitState => ({
    active: queue.active,
    waiting: queue.waiting,
    resumesByItself,
    pause: queue.pause && shownPause(queue.pause, resumesByItself),
  });
  const tell = (): void => {
    for (const listener of listeners) listener(state());
  };
  const end = (): void => {
    disarm();
    if (!queue.pause) return;
    queue.pause = null;
    tell();
    queue.startWaiting();
  };
  const arm = (): void => {
    disarm();
    const { pause } = queue;
    if (!pause || (pause.kind === "limit" && !resumesByItself)) return;
    disarm = callAt(clock, pause.due, pause.kind === "outage" ? queue.startWaiting : end);
  };
  const begin = (pause: TimedPause | null): void => {
    if (!pause) return;
    queue.pause = pause;
    arm();
    tell();
  };

  return {
    acquire: queue.acquire,
    pauseUntil: (at, reason, remedy = "") =>
      begin(pauseForLimit(queue.pause, { at, reason, remedy }, time())),
    outage: (trouble) => begin(pauseForOutage(queue.pause, trouble, firstTryMs, time())),
    answered() {
      answers += 1;
      if (queue.pause?.kind === "outage") end();
    },
    get answers() {
      return answers;
    },
    resume() {
      if (queue.pause?.kind !== "outage") return end();
      const { now, monotonic } = time();
      queue.pause = { ...queue.pause, until: now, due: monotonic };
      disarm();
      tell();
      queue.startWaiting();
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
