import { createSerial } from "#shared/async/serial.ts";
import { createWaiters } from "../kernel/waiters.ts";

export type WorkspaceLock = ReturnType<typeof createWorkspaceLock>;

/**
 * Lets agents take turns freely until their ancestors must be rewritten: the writer waits until the affected
 * agents are at a turn boundary, works without them, and releases them. Others continue.
 */
export function createWorkspaceLock() {
  const inside: string[] = [];
  const barred: { readonly touches: (who: string) => boolean; readonly why: string }[] = [];
  const serial = createSerial();
  const waiters = createWaiters();
  const pendingReason = (who: string): string | null =>
    barred.find(({ touches }) => touches(who))?.why ?? null;

  /** Runs `work` when none of those that it touches is inside, and keeps them out meanwhile. One at a time, in order. */
  const withExclusive = <T>(
    touched: string | ((who: string) => boolean),
    work: () => Promise<T>,
    why = "the graph is being rewritten",
  ): Promise<T> => {
    const bar = {
      touches: typeof touched === "string" ? (who: string) => who === touched : touched,
      why,
    };
    barred.push(bar);
    return serial.run("exclusive", async () => {
      try {
        await waiters.until(() => !inside.some(bar.touches));
        return await work();
      } finally {
        barred.splice(barred.indexOf(bar), 1);
        waiters.wake();
      }
    });
  };

  return {
    /** Why `who` should stop at its turn boundary, for the screen; null if it need not. */
    pendingReason,
    /** Runs `turns` of `who` among others; waits while someone works apart from this one. */
    async withShared<T>(who: string, turns: () => Promise<T>): Promise<T> {
      await waiters.until(() => pendingReason(who) === null);
      inside.push(who);
      try {
        return await turns();
      } finally {
        inside.splice(inside.indexOf(who), 1);
        waiters.wake();
      }
    },
    withExclusive,
    /** Runs `work` while no agent is inside a turn. */
    withAllExclusive: <T>(work: () => Promise<T>, why?: string): Promise<T> =>
      withExclusive(() => true, work, why),
  };
}

export type AgentSlots = ReturnType<typeof createAgentSlots>;

/**
 * Limits concurrent agents and orders the queue: evaluated whenever a slot becomes free, so that priority or
 * rank can change until the last moment.
 */
export function createAgentSlots(options: {
  readonly limit: () => number;
  /** Slots that are left by others; read whenever one is released. Default: all. */
  readonly most?: () => number;
  /** Hears that one was given back. */
  readonly given?: () => void;
  /** Smaller comes first. */
  readonly order: (one: string, other: string) => number;
}) {
  const taken: string[] = [];
  let waiting: { readonly worker: string; readonly grant: () => void }[] = [];

  const look = () => {
    while (taken.length < Math.min(options.limit(), options.most?.() ?? Infinity) && waiting.length > 0) {
      const next = waiting.toSorted((one, other) => options.order(one.worker, other.worker))[0];
      if (!next) return;
      waiting = waiting.filter((one) => one !== next);
      taken.push(next.worker);
      next.grant();
    }
  };

  return {
    /** Checks again who is next, after a limit or an order changed. */
    look,
    /** How many may work at once now. */
    limit: options.limit,
    /** How many work now. */
    taken: () => taken.length,
    /** True for one that works beyond the limit, since it was lowered: the last in order give their places back. */
    mustYield(worker: string): boolean {
      const over = taken.length - Math.max(1, options.limit());
      return over > 0 && taken.toSorted(options.order).slice(-over).includes(worker);
    },
    /** Waits for a place; answers with what gives it back. Rejects with the signal's reason. */
    take(worker: string, signal: AbortSignal): Promise<() => void> {
      return new Promise((resolve, reject) => {
        if (signal.aborted) {
          reject(signal.reason);
          return;
        }
        const leave = () => {
          waiting = waiting.filter((one) => one !== entry);
          reject(signal.reason);
        };
        const entry = {
          worker,
          grant: () => {
            signal.removeEventListener("abort", leave);
            let held = true;
            resolve(() => {
              if (!held) return;
              held = false;
              taken.splice(taken.indexOf(worker), 1);
              look();
              options.given?.();
            });
          },
        };
        signal.addEventListener("abort", leave, { once: true });
        waiting.push(entry);
        // Concurrent requests are compared before the first slot is given away.
        queueMicrotask(look);
      });
    },
  };
}
