/** Work that no meter counts: time and turns bound it, and it has no dollars. */
import { counted } from "../text/format-text.ts";

/** How its cost is shown wherever cost is shown. */
export const notMetered = "not metered, bounded by time and turns";

/** What it used, and may use, in words. */
export const unmeteredUse = (work: {
  readonly turns: number;
  readonly ms: number;
  readonly maxTurns: number;
  readonly maxMs: number;
}): string =>
  `${work.turns} of ${work.maxTurns} turns, ${Math.ceil(work.ms / 60_000)} of ${Math.round(work.maxMs / 60_000)} minutes`;

/** After an amount of money in which such work is not; empty where there is none. */
export const alsoUnmetered = (workers: readonly { readonly unmetered: unknown }[]): string => {
  const count = workers.filter(({ unmetered }) => unmetered != null).length;
  return count === 0 ? "" : ` and ${counted(count, "agent")} ${notMetered}`;
};
