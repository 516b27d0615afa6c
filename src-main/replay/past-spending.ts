/** What had been spent at a moment: sums that are made once, and looked up. */

import { withPoint } from "#shared/domain/spending/spending-curve.ts";
import { addSpent, contextTokens, nothingSpent, type Spent } from "#shared/domain/spending/usage.ts";
import type { RunReader } from "../engine/ports.ts";
import { countUpTo, risingTimes } from "./kept-states.ts";
import type { Recording } from "./recording.ts";

export interface PastSpending {
  spending(at: number): RunReader["spending"];
  /** What a worker's last request brought along; 0 before the first. */
  contextTokens(worker: string, at: number): number;
}

interface Sums {
  readonly times: Float64Array;
  /** After each request. */
  readonly sums: readonly Spent[];
}

export function createPastSpending({ spending }: Pick<Recording, "spending">): PastSpending {
  // A clock that goes back hides what is later in the list and earlier in time.
  const all = spending.toSorted((one, other) => one.at - other.at);
  const total = sumsOf(all);
  const byWorker = new Map(
    [...Map.groupBy(all, ({ worker }) => worker)].map(
      ([worker, own]) => [worker, { own, ...sumsOf(own) }] as const,
    ),
  );
  return {
    spending(at) {
      const count = countUpTo(total.times, at);
      let history: RunReader["spending"]["history"] = [];
      for (let index = 0; index < count; index++)
        history = withPoint(history, [total.times[index] ?? 0, total.sums[index]?.microDollars ?? 0]);
      return {
        total: total.sums[count - 1] ?? nothingSpent,
        byWorker: new Map(
          [...byWorker].flatMap(([worker, { times, sums }]) => {
            const spent = sums[countUpTo(times, at) - 1];
            return spent ? [[worker, spent] as const] : [];
          }),
        ),
        history,
      };
    },
    contextTokens(worker, at) {
      const found = byWorker.get(worker);
      const last = found?.own[countUpTo(found.times, at) - 1];
      return last ? contextTokens(last.spent.usage) : 0;
    },
  };
}

function sumsOf(requests: Recording["spending"]): Sums {
  let sum = nothingSpent;
  return {
    times: risingTimes(requests),
    sums: requests.map(({ spent }) => {
      sum = addSpent(sum, spent);
      return sum;
    }),
  };
}
