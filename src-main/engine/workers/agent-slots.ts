import type { AgentSlots } from "../ports.ts";

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
