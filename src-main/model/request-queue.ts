import type { Clock } from "./clock.ts";
import { ModelError } from "./model-error.ts";
import type { TimedPause } from "./provider-pause.ts";

/** Gives a place back. Safe to repeat. */
export type Release = () => void;

/** Requests that wait for a place, first come, first served. */
export interface RequestQueue {
  readonly active: number;
  readonly waiting: number;
  /** While there is one nobody starts, but for those that try whether an outage is over. */
  pause: TimedPause | null;
  /** Rejects with a `ModelError` `aborted` when the signal fires before its turn. */
  acquire(requester: string, signal: AbortSignal): Promise<Release>;
  /** Begins those for which there is room and time. */
  startWaiting(): void;
}

interface Waiting {
  start(release: Release): void;
}

export function createRequestQueue(concurrent: number, clock: Clock): RequestQueue {
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
    // One of them tries; whoever tried in vain waits behind the others.
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
