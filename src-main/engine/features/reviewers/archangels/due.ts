/** Who of the archangels should look at something now. */

import type { WatchBudgetView } from "#shared/domain/archangel/archangel.ts";
import { type Archangel, archangelWorker } from "#shared/domain/archangel/archangel.ts";
import { type DueReview, deliveryTo, dueReview } from "#shared/domain/archangel/archangel-records.ts";
import { check } from "#shared/domain/spending/budget.ts";
import { nothingSpent } from "#shared/domain/spending/usage.ts";
import { archangelsOf } from "../../../../config/archangels.ts";
import type { Tick } from "../../../kernel/feature.ts";
import { inform } from "../../../kernel/notify.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { isWatch, rootOf } from "../../../workers/hierarchy.ts";
import { budgetState, spentBudgetOf } from "../../../workers/worker-limits.ts";

/** Another id for each review; what comes while one is thought about is in the next. */
export const dueReviews = (run: RunReader) =>
  run.state.current.stage === "idle" || budgetState(run) === "exhausted"
    ? []
    : archangelsOf(run.config).flatMap((archangel) => {
        const due = dueFor(run, archangel);
        if (due === null || isSpent(run, archangel) || isStopped(run, archangel)) return [];
        const { parentContextOffset, lastAnalysisAt } = deliveryTo(run.facts.archangels, archangel.name);
        const id = `archangel/${archangel.name}/${parentContextOffset}/${lastAnalysisAt ?? 0}`;
        return [{ id, archangel: archangel.name }];
      });

export const dueFor = (run: RunReader, archangel: Archangel): DueReview | null =>
  dueReview(run.facts.archangels, archangel);

/** The run's budget is spent, for which a card exists already, or its own. */
function isStopped(run: RunReader, { name }: Archangel): boolean {
  const worker = archangelWorker(name);
  const speaker = run.workers.has(worker) ? worker : rootOf(run);
  return run.workers.has(speaker) && spentBudgetOf(run, speaker) !== null;
}

/** Its own budget is: it wakes no more. Nobody is asked; it is an extra. */
export const isSpent = (run: RunReader, { name, tokens, microDollars }: Archangel): boolean =>
  check({ tokens, microDollars }, run.spending.byWorker.get(archangelWorker(name)) ?? nothingSpent).kind ===
  "exhausted";

/** As it is set up now; null where the settings know it no more. */
export const archangelNamed = (run: RunReader, name: string): Archangel | null =>
  archangelsOf(run.config).find((one) => one.name === name) ?? null;

type WatchRun = Pick<Run, "row" | "config" | "journal" | "now">;

/** Midnight of the day, local time. */
function startOfDay(at: number): number {
  const day = new Date(at);
  day.setHours(0, 0, 0, 0);
  return day.getTime();
}

/**
 * Daily budget of a watch, which works unattended. (AX-1)
 *
 * Of all watches of this repository: a restarted one has the same day's budget.
 */
export function watchBudget({ config, journal, now }: WatchRun): WatchBudgetView {
  const microDollars = journal.watchMicroDollars(startOfDay(now()));
  const limit = Math.round(config.archangels.maxUsdPerDay * 1e6);
  return { microDollars, limit, isSpent: microDollars >= limit };
}

/** True where a watch spends nothing more today. A run has its own budget. */
export const isDaySpent = (run: WatchRun): boolean => isWatch(run) && watchBudget(run).isSpent;

/** Says once a day that the budget is spent while something waits, and lets that begin when there is more. */
export const followDay: Tick<Run> = {
  name: "budget of a watch per day",
  everyMs: () => 1_000,
  look(run) {
    if (!isWatch(run) || run.isPausedOrOver()) return;
    if (!archangelsOf(run.config).some((archangel) => dueReview(run.facts.archangels, archangel) !== null))
      return;
    if (!isDaySpent(run)) return run.schedule();
    if (!run.once.isFirst(`watch-spent/${startOfDay(run.now())}`)) return;
    inform(
      run,
      "Archangels have spent their budget for today and review no more sessions until midnight.",
      "To continue now, raise archangels.max_usd_per_day in .hox/config.toml.",
    );
    run.changed();
  },
};
