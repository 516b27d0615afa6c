/** Sets of moments, as stretches of time without common moments, the oldest first. */

/** From `from` up to but excluding `to`; `Infinity`: open. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** The union of intervals, in any order and with overlaps. */
export function union(intervals: Iterable<Interval>): readonly Interval[] {
  const sorted = [...intervals].filter(({ from, to }) => to > from).sort((a, b) => a.from - b.from);
  const joined: { from: number; to: number }[] = [];
  for (const { from, to } of sorted) {
    const last = joined.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else joined.push({ from, to });
  }
  return joined;
}

/** The moments that are in both sets, each as `union` answers it. */
export const common = (one: readonly Interval[], other: readonly Interval[]): readonly Interval[] =>
  without(one, without(one, other));

/**
 * The moments of one set that are not in another.
 *
 * @param of, left each as `union` answers it
 */
export function without(of: readonly Interval[], left: readonly Interval[]): readonly Interval[] {
  const rest: Interval[] = [];
  let next = 0;
  for (const { from, to } of of) {
    while (next < left.length && (left[next]?.to ?? Infinity) <= from) next++;
    let begin = from;
    for (let at = next; begin < to; at++) {
      const gone = left[at];
      const end = Math.min(to, gone?.from ?? Infinity);
      if (end > begin) rest.push({ from: begin, to: end });
      if (!gone || gone.from >= to) break;
      begin = Math.max(begin, gone.to);
    }
  }
  return rest;
}
