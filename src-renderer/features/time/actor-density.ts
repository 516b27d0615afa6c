import type { DrawnTime } from "#shared/domain/timeline/time-spans.ts";
import type { Operation } from "#shared/graph/change.ts";

/** So much one actor did in one part of the time. */
export interface DensityBar {
  readonly part: number;
  readonly actor: string;
  /** How many operations of others lie below it. */
  readonly below: number;
  readonly count: number;
}

/** What a track of time shows: from one moment to another (ms since 1970), drawn as `drawn` says. */
export interface TrackTime extends DrawnTime {
  readonly from: number;
  readonly to: number;
}
// Made once: to compare two names without it makes one each time.
const byName = new Intl.Collator("en", { numeric: true });

/**
 * Operations by actor, in equal parts of the drawn time: in each part the actors are stacked
 * in one order, by name with numbers as numbers, so that a colour keeps its place.
 */
export function densityByActor(
  operations: readonly Pick<Operation, "time" | "actor">[],
  { from, to, drawn }: Pick<TrackTime, "from" | "to" | "drawn">,
  parts: number,
): readonly DensityBar[] {
  const first = drawn(from);
  const length = Math.max(1, drawn(to) - first);
  const counts = new Map<string, number[]>();
  for (const { time, actor } of operations) {
    if (time < from || time > to) continue;
    const part = Math.min(parts - 1, Math.floor(((drawn(time) - first) / length) * parts));
    const own = counts.get(actor) ?? new Array<number>(parts).fill(0);
    own[part] = (own[part] ?? 0) + 1;
    counts.set(actor, own);
  }
  const filled = new Array<number>(parts).fill(0);
  return [...counts]
    .toSorted(([one], [other]) => byName.compare(one, other))
    .flatMap(([actor, own]) =>
      own.flatMap((count, part) => {
        if (count === 0) return [];
        const below = filled[part] ?? 0;
        filled[part] = below + count;
        return [{ part, actor, below, count }];
      }),
    );
}

/** The most operations of one part. */
export const highest = (bars: readonly DensityBar[]): number =>
  bars.reduce((most, { below, count }) => Math.max(most, below + count), 1);

/** Without actors: counts of equal parts of the time, as bars of other parts. */
export function barsOf(density: readonly number[], parts: number): readonly DensityBar[] {
  const counts = new Array<number>(parts).fill(0);
  density.forEach((count, at) => {
    const part = Math.min(parts - 1, Math.floor((at / density.length) * parts));
    counts[part] = (counts[part] ?? 0) + count;
  });
  return counts.flatMap((count, part) => (count === 0 ? [] : [{ part, actor: "", below: 0, count }]));
}

const two = (number: number): string => String(number).padStart(2, "0");

/** How long after its beginning something was: `0:07`, `1:02:30`. */
export function clockTime(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return `${hours > 0 ? `${hours}:${two(minutes)}` : String(minutes)}:${two(seconds % 60)}`;
}
