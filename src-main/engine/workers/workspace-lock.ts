import { createSerial } from "#shared/async/serial.ts";
import { createWaiters } from "../kernel/waiters.ts";
import type { AgentSlots, WorkspaceLock } from "../ports.ts";

export function createWorkspaceLock(): WorkspaceLock {
  const inside: string[] = [];
  const barred: { readonly touches: (who: string) => boolean; readonly why: string }[] = [];
  const serial = createSerial();
  const waiters = createWaiters();
  const pendingReason = (who: string): string | null =>
    barred.find(({ touches }) => touches(who))?.why ?? null;

  const withExclusive: WorkspaceLock["withExclusive"] = (
    touched,
    work,
    why = "the graph is being rewritten",
  ) => {
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
    pendingReason,
    async withShared(who, turns) {
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
    withAllExclusive: (work, why) => withExclusive(() => true, work, why),
  };
}

export function createAgentSlots(options: {
  readonly limit: () => number;
  /** Slots that are left by others; read whenever one is released. Default: all. */
  readonly most?: () => number;
  /** Hears that one was given back. */
  readonly given?: () => void;
  /** Smaller comes first. */
  readonly order: (one: string, other: string) => number;
}): AgentSlots {
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
    look,
    limit: options.limit,
    taken: () => taken.length,
    mustYield(worker) {
      const over = taken.length - Math.max(1, options.limit());
      return over > 0 && taken.toSorted(options.order).slice(-over).includes(worker);
    },
    take(worker, signal) {
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
