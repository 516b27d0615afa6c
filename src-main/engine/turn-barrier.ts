/**
 * Lets agents take turns freely until someone must rewrite what lies below them: that one waits until every agent
 * stands at its turn boundary, works alone, and lets them go on.
 */
export interface TurnBarrier {
  /** True while someone waits or works alone: whoever is inside should come to its turn boundary. */
  readonly wanted: boolean;
  /** Runs `turns` of `who` among others; waits while someone works alone, or apart from this one. */
  among<T>(who: string, turns: () => Promise<T>): Promise<T>;
  /** Runs `work` when `who` is not inside, and keeps it out meanwhile. Everyone else takes turns as before. */
  apart<T>(who: string, work: () => Promise<T>): Promise<T>;
  /** Runs `work` when nobody is inside. One at a time, in order. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

export function createTurnBarrier(): TurnBarrier {
  const inside: string[] = [];
  const barred: string[] = [];
  let wanting = 0;
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

  return {
    get wanted() {
      return wanting > 0;
    },
    async among(who, turns) {
      await until(() => wanting === 0 && !barred.includes(who));
      inside.push(who);
      try {
        return await turns();
      } finally {
        inside.splice(inside.indexOf(who), 1);
        wake();
      }
    },
    apart(who, work) {
      barred.push(who);
      const done = last.then(async () => {
        try {
          await until(() => !inside.includes(who));
          return await work();
        } finally {
          barred.splice(barred.indexOf(who), 1);
          wake();
        }
      });
      last = done.catch(() => undefined);
      return done;
    },
    alone(work) {
      wanting += 1;
      const done = last.then(async () => {
        try {
          await until(() => inside.length === 0);
          return await work();
        } finally {
          wanting -= 1;
          wake();
        }
      });
      last = done.catch(() => undefined);
      return done;
    },
  };
}
