/** Daily budget of a watch, which works unattended. (AX-1) */
import type { WatchBudgetView } from "#shared/domain/archangel/archangel.ts";
import { dueReview } from "#shared/domain/archangel/archangel-records.ts";
import { archangelsOf } from "../../../../config/archangels.ts";
import type { Tick } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { isWatch } from "../../../workers/hierarchy.ts";

type WatchRun = Pick<Run, "row" | "config" | "journal" | "now">;

/** Midnight of the day, local time. */
function startOfDay(at: number): number {
  const day = new Date(at);
  day.setHours(0, 0, 0, 0);
  return day.getTime();
}

/** Of all watches of this repository: a restarted one has the same day's budget. */
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
    if (!isWatch(run) || run.held()) return;
    if (!archangelsOf(run.config).some((archangel) => dueReview(run.facts.archangels, archangel) !== null))
      return;
    if (!isDaySpent(run)) return run.schedule();
    if (!run.once.isFirst(`watch-spent/${startOfDay(run.now())}`)) return;
    run.emit({
      kind: "notice",
      level: "info",
      text: "Archangels have spent their budget for today and review no more sessions until midnight.",
      remedy: "To continue now, raise archangels.max_usd_per_day in .hox/config.toml.",
    });
    run.changed();
  },
};
