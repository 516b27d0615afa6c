import type { TurnBarrier } from "../ports.ts";

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
