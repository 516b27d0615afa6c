/** Periods without work on a run, which are drawn shortened. (design section 12) */
import type { Interval, TimelineBreak, TimelineTrack, TrackMark, TrackStretch } from "./timeline.ts";

/** Shorter ones are not breaks: a question is answered, and work continues. ms */
const minBreakMs = 2_000;

/** States in which the user keeps a worker from working. With a conflict, or without progress, it works. */
const idleKinds: ReadonlySet<TrackStretch["kind"]> = new Set(["held", "by-hand"]);
/** In which its worker waits for an answer: its orchestrator works on that until it asks a user. */
const waitingForAnswer: ReadonlySet<TrackStretch["kind"]> = new Set(["asks", "stuck"]);
/** States in which all of an orchestrator's workers are idle. */
const holding: ReadonlySet<TrackStretch["kind"]> = new Set(["paused", "provider"]);
/** Marks after which the track is idle until the next start. */
const ending: ReadonlySet<TrackMark["kind"]> = new Set(["merged", "done", "abandoned", "ended"]);

/** A card that blocks work. `track`: of the work; `to`: when it was answered, `Infinity` while it is open. */
export interface Waiting extends Interval {
  readonly track: string;
}

export interface BreakParts {
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** The root's spine first, each part's spine before its lanes. */
  readonly tracks: readonly TimelineTrack[];
  readonly waiting: readonly Waiting[];
  /** No host was there. */
  readonly away: readonly Interval[];
}

/**
 * Periods without work: every started lane was over or idle, and every orchestrator waited for its lanes or
 * for the user, or no host was running. Depends on the past only: later events do not move their beginnings.
 *
 * @returns oldest first, disjoint; `to` is null for a current one
 */
export function breaksOf({
  startedAt,
  endedAt,
  tracks,
  waiting,
  away,
}: BreakParts): readonly TimelineBreak[] {
  const [root] = tracks;
  if (!root) return [];
  const waits = Map.groupBy(waiting, ({ track }) => track);
  const asked = union(waiting);
  const below = Map.groupBy(
    tracks.filter((track) => track !== root),
    (track) => (track.kind === "spine" ? (track.parent ?? root.id) : track.orchestrator),
  );
  const end = endedAt ?? Infinity;
  const worked: Interval[] = [];
  /** Adds when a track, and all below it, worked. @returns when it was there */
  const visit = (track: TimelineTrack, held: readonly Interval[]): readonly Interval[] => {
    const there = track === root ? [{ from: startedAt, to: end }] : thereOf(track, end);
    const stands = [...stretchesOf(track, idleKinds), ...common(stretchesOf(track, waitingForAnswer), asked)];
    const heldHere = union([...held, ...stretchesOf(track, holding)]);
    const own = track.kind === "spine" ? (below.get(track.id) ?? []) : [];
    const lanes = own.flatMap((one) => visit(one, heldHere));
    worked.push(...without(there, union([...stands, ...heldHere, ...lanes, ...(waits.get(track.id) ?? [])])));
    return there;
  };
  visit(root, []);
  const run = [{ from: startedAt, to: end }];
  const nobody = union(away);
  const reasons = [
    ["away", nobody],
    ["paused", stretchesOf(root, new Set(["paused"]))],
    ["provider", stretchesOf(root, new Set(["provider"]))],
  ] as const;
  return without(run, without(union(worked), nobody))
    .filter(({ from, to }) => to - from >= minBreakMs)
    .map(({ from, to }) => ({
      from,
      to: to === Infinity ? null : to,
      why: reasons.find(([, set]) => covers(set, { from, to }))?.[0] ?? "waits",
    }));
}

const stretchesOf = (
  { stretches }: TimelineTrack,
  wanted: ReadonlySet<TrackStretch["kind"]>,
): readonly Interval[] =>
  union(
    stretches.filter(({ kind }) => wanted.has(kind)).map(({ from, to }) => ({ from, to: to ?? Infinity })),
  );

/** Periods between a start on a track and the next end. */
function thereOf({ marks }: TimelineTrack, end: number): readonly Interval[] {
  const there: Interval[] = [];
  let from: number | null = null;
  for (const { kind, at } of marks) {
    if (ending.has(kind)) {
      if (from !== null) there.push({ from, to: at });
      from = null;
      // What was undone is worked on again, or is not: other marks say so.
    } else if (kind !== "undone") from ??= at;
  }
  if (from !== null) there.push({ from, to: end });
  return there;
}

/** Whether more than half of a stretch is in a set; for an open one, whether its end is. */
function covers(set: readonly Interval[], of: Interval): boolean {
  if (of.to === Infinity) return set.some(({ to }) => to === Infinity);
  const rest = without([of], set).reduce((sum, { from, to }) => sum + to - from, 0);
  return rest < (of.to - of.from) / 2;
}

// Sets of moments, as stretches of time without common moments, the oldest first.

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
