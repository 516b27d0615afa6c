/**
 * Drawn time: real time during work, shortened without work, so that a run that waits overnight is still
 * readable. (design section 12)
 */
import { minBreakMs } from "./breaks.ts";
import type { TimelineBreak } from "./timeline.ts";

/** A break is drawn in real time up to this share of what is drawn before it; then drawn time stops. */
const maxShare = 1 / 4;

/** A break that is drawn shorter than it was, so far. */
interface ShortenedBreak extends TimelineBreak {
  /** Its drawn time, in ms. */
  readonly drawnFrom: number;
  readonly drawnTo: number;
}

export interface DrawnTime {
  /** Where a moment is drawn: never before an earlier one. Both in ms since 1970, equal before the first break. */
  drawn(at: number): number;
  /** The first moment that is drawn there. */
  moment(drawn: number): number;
  /** As they are once they are full. */
  readonly shortened: readonly ShortenedBreak[];
}

/** As it passes. */
export const unshortened: DrawnTime = { drawn: (at) => at, moment: (drawn) => drawn, shortened: [] };

/**
 * Follows from the past alone: where a moment is drawn never changes by what comes after it.
 *
 * @param breaks the oldest first, none of them touching another
 * @param begin the first moment that is drawn, in ms since 1970; a break before it is not shortened
 */
export function drawnTime(breaks: readonly TimelineBreak[], begin: number): DrawnTime {
  const shortened: ShortenedBreak[] = [];
  let left = 0;
  for (const one of breaks) {
    const from = Math.max(one.from, begin);
    const to = one.to ?? Infinity;
    // Never less than the shortest break: until one is known to last, time is drawn as it passes.
    const most = Math.max(minBreakMs, (from - left - begin) * maxShare);
    if (to - from <= most) continue;
    const drawnFrom = from - left;
    shortened.push({ ...one, from, drawnFrom, drawnTo: drawnFrom + most });
    left += to - from - most;
  }
  if (shortened.length === 0) return unshortened;
  return {
    shortened,
    drawn(at) {
      const last = shortened.findLast(({ from }) => from <= at);
      if (!last) return at;
      const { from, to, drawnFrom, drawnTo } = last;
      return to === null || at < to ? Math.min(drawnFrom + (at - from), drawnTo) : drawnTo + (at - to);
    },
    moment(drawn) {
      const last = shortened.findLast(({ drawnFrom }) => drawnFrom <= drawn);
      if (!last) return drawn;
      const { from, to, drawnFrom, drawnTo } = last;
      return drawn <= drawnTo || to === null
        ? from + Math.min(drawn, drawnTo) - drawnFrom
        : to + (drawn - drawnTo);
    },
  };
}
