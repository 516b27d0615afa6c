/**
 * Lets agents take turns freely until someone must rewrite what lies below some of them: that one waits until those
 * stand at their turn boundary, works without them, and lets them go on. Everyone else takes turns as before.
 */
export interface TurnBarrier {
  /** Why `who` should come to its turn boundary and stay there, in words for the screen; null while nobody needs it. */
  wants(who: string): string | null;
  /** Runs `turns` of `who` among others; waits while someone works apart from this one. */
  among<T>(who: string, turns: () => Promise<T>): Promise<T>;
  /** Runs `work` when none of those that it touches is inside, and keeps them out meanwhile. One at a time, in order. */
  apart<T>(touched: string | ((who: string) => boolean), work: () => Promise<T>, why?: string): Promise<T>;
  /** Runs `work` when nobody is inside. */
  alone<T>(work: () => Promise<T>, why?: string): Promise<T>;
}

export function createTurnBarrier(): TurnBarrier {
  const inside: string[] = [];
  const barred: { readonly touches: (who: string) => boolean; readonly why: string }[] = [];
  let last: Promise<unknown> = Promise.resolve();
  const sleepers = new Set<() => void>();
  const wake = () => {
    for (const sleeper of [...sleepers]) sleeper();
  };
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition())
      await new Promise<void>((resolve) => {
        const sleeper = () => {
          sleepers.delete(sleeper);
          resolve();
        };
        sleepers.add(sleeper);
      });
  };
  const wants = (who: string): string | null => barred.find(({ touches }) => touches(who))?.why ?? null;

  const apart: TurnBarrier["apart"] = (touched, work, why = "the graph is being rewritten") => {
    const bar = {
      touches: typeof touched === "string" ? (who: string) => who === touched : touched,
      why,
    };
    barred.push(bar);
    const done = last.then(async () => {
      try {
        await until(() => !inside.some(bar.touches));
        return await work();
      } finally {
        barred.splice(barred.indexOf(bar), 1);
        wake();
      }
    });
    last = done.catch(() => undefined);
    return done;
  };

  return {
    wants,
    async among(who, turns) {
      await until(() => wants(who) === null);
      inside.push(who);
      try {
        return await turns();
      } finally {
        inside.splice(inside.indexOf(who), 1);
        wake();
      }
    },
    apart,
    alone: (work, why) => apart(() => true, work, why),
  };
}
