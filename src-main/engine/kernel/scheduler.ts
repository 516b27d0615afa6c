/**
 * Runs the wanted work and nothing else. What is wanted is recomputed from state whenever something may have
 * changed and never stored, so lost work restarts automatically.
 *
 * One rule for all failures: the job itself reports its failure to the user, as a card or a notice. It
 * restarts after a back-off that grows while it keeps failing. So it neither spins nor disappears, and no
 * failure becomes an unhandled rejection.
 */
import { Interrupted } from "../engine-errors.ts";

/** Whether a job may restart at once, as the user said, or after its back-off. */
export type AfterFailure = "at-once" | "later";

/** A piece of wanted work. */
export interface Job {
  /** The same as long as it is the same piece of work. */
  readonly id: string;
  /** Aborted as soon as it is not wanted any more; otherwise it runs to its end. */
  readonly isCancelled: boolean;
  /** Safe to repeat. Ends by something that takes it off the list, or by throwing. */
  readonly perform: (signal: AbortSignal) => Promise<void>;
  /** Shows a failure to the user. */
  readonly report: (error: unknown, signal: AbortSignal) => Promise<AfterFailure>;
}

export interface Scheduler {
  /** Something may have moved: looks soon, once however often this is called. */
  schedule(): void;
  /** Resolves when no job is running. */
  quiet(): Promise<void>;
}

export interface SchedulerOptions {
  /** The jobs that are wanted now. */
  readonly desired: () => readonly Job[];
  /** True once nothing may start any more; running jobs are aborted elsewhere. */
  readonly isEnded: () => boolean;
  /** True once the work is over for good: everything is called back, and `onOver` is called once. */
  readonly isOver: () => boolean;
  readonly onOver: () => void;
  /**
   * A failure that could not even be shown to the user. Must not throw. `job` is null if the list itself
   * failed.
   */
  readonly onUnreported: (job: Job | null, error: unknown) => void;
  readonly clock: Clock;
}

/** Time as the kernel's waiting needs it, so that a test can say when it passes. */
export interface Clock {
  /** Milliseconds that never jump. */
  now(): number;
  /** Does something once after this time, unless it is cancelled before. Keeps no process alive. */
  after(ms: number, work: () => void): () => void;
}

/** @param now milliseconds that never jump */
export const systemClock = (now: () => number = () => performance.now()): Clock => ({
  now,
  after(ms, work) {
    const timer = setTimeout(work, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
});

/** So often in a row a job that ended without a failure begins again without a pause. */
const freeTimes = 3;
/** A job that ran this long made progress, so its back-off is reset. */
const calmMs = 60_000;

interface Going {
  readonly job: Job;
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { clock, isEnded } = options;
  const going = new Map<string, Going>();
  const pauses = createPauses(clock);
  let isScheduled = false;
  let isToldOver = false;
  let failedLooks = 0;
  let cancelTimer: () => void = () => undefined;

  const begin = (job: Job): void => {
    const controller = new AbortController();
    // Starts in the next microtask, so that an event that it raises never finds a partial look.
    const begunAt = clock.now();
    const done = Promise.resolve()
      .then(() => attempt(options, job, controller.signal))
      .then((end) => {
        going.delete(job.id);
        if (!controller.signal.aborted) pauses.recordFailure(job.id, begunAt, end === "failed");
        schedule();
      });
    going.set(job.id, { job, controller, done });
  };

  const wakeAt = (time: number): void => {
    cancelTimer();
    cancelTimer = time === Infinity ? () => undefined : clock.after(time - clock.now(), schedule);
  };

  const reconcile = (): void => {
    if (options.isOver()) {
      cancelUnwanted(going, () => false);
      if (isToldOver) return;
      isToldOver = true;
      options.onOver();
      return;
    }
    if (isEnded()) return;
    const desired = options.desired();
    const ids = new Set(desired.map(({ id }) => id));
    cancelUnwanted(going, (id) => ids.has(id));
    pauses.keep((id) => ids.has(id) || going.has(id));
    let next = Infinity;
    for (const job of desired) {
      // An aborted job that is wanted again restarts when it has ended, which triggers another look.
      if (going.has(job.id)) continue;
      const until = pauses.until(job.id);
      if (until <= clock.now()) begin(job);
      else next = Math.min(next, until);
    }
    wakeAt(next);
  };

  const look = (): void => {
    isScheduled = false;
    try {
      reconcile();
      failedLooks = 0;
    } catch (error) {
      options.onUnreported(null, error);
      failedLooks += 1;
      wakeAt(clock.now() + pauseMs(failedLooks));
    }
  };

  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    queueMicrotask(look);
  };

  return {
    schedule,
    async quiet() {
      while (going.size > 0) await Promise.all([...going.values()].map(({ done }) => done));
    },
  };
}

const firstPauseMs = 1000;
const maxPauseMs = 5 * 60_000;

/** The back-off after this many consecutive failures: 1 s, 2 s, 4 s, at most 5 minutes. */
export const pauseMs = (times: number): number =>
  times <= 0 ? 0 : Math.min(maxPauseMs, firstPauseMs * 2 ** (times - 1));

function cancelUnwanted(going: ReadonlyMap<string, Going>, isWanted: (id: string) => boolean): void {
  for (const [id, { job, controller }] of going)
    if (job.isCancelled && !isWanted(id)) controller.abort(new Interrupted());
}

/** Runs one job to its end; a failure is shown to the user, who may restart it. */
async function attempt(
  { isEnded, onUnreported }: SchedulerOptions,
  job: Job,
  signal: AbortSignal,
): Promise<"ended" | "failed"> {
  for (;;) {
    try {
      await job.perform(signal);
      return "ended";
    } catch (error) {
      // An aborted job may end in any way; if wanted again, it restarts and meets the same failure.
      if (error instanceof Interrupted || signal.aborted || isEnded()) return "ended";
      try {
        if ((await job.report(error, signal)) === "later") return "failed";
      } catch (unreported) {
        if (unreported instanceof Interrupted || isEnded()) return "ended";
        onUnreported(job, unreported);
        return "failed";
      }
      if (signal.aborted || isEnded()) return "ended";
    }
  }
}

/** Consecutive failures of each job, and its earliest restart. */
function createPauses(clock: Clock) {
  const pauses = new Map<string, { readonly times: number; readonly until: number }>();
  return {
    until: (id: string): number => pauses.get(id)?.until ?? 0,
    /** Forgets those that are not kept. */
    keep(isKept: (id: string) => boolean): void {
      for (const id of pauses.keys()) if (!isKept(id)) pauses.delete(id);
    },
    recordFailure(id: string, begunAt: number, hasFailed: boolean): void {
      const now = clock.now();
      const times = now - begunAt < calmMs ? (pauses.get(id)?.times ?? 0) + 1 : 1;
      // What unwound, or ended well and is wanted once more, may just have got something else to do.
      pauses.set(id, { times, until: now + pauseMs(hasFailed ? times : times - freeTimes) });
    },
  };
}

/** Periodic checks. A failing check is reported and then runs less often; it never stops. */
interface TickOptions {
  readonly everyMs: () => number;
  readonly look: () => void;
  readonly isEnded: () => boolean;
  readonly onFailure: (error: unknown) => void;
  readonly clock: Clock;
}

export function startTicking({ everyMs, look, isEnded, onFailure, clock }: TickOptions): void {
  let failures = 0;
  const tick = (): void => {
    if (isEnded()) return;
    try {
      look();
      failures = 0;
    } catch (error) {
      failures += 1;
      onFailure(error);
    }
    clock.after(Math.max(everyMs(), pauseMs(failures)), tick);
  };
  tick();
}
