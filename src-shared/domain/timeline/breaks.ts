/** Times of a run in which nobody worked on it: what is drawn of it leaves them short. (design section 12) */
import { common, type Interval, union, without } from "./intervals.ts";
import type { TimelineBreak, TimelineTrack, TrackMark, TrackStretch } from "./timeline.ts";

/** Shorter ones are no break: a question is asked and answered, and the work goes on. ms */
export const minBreakMs = 2_000;

/** In which a user keeps its worker from working. One with a conflict, or without progress, goes on working. */
const idleKinds: ReadonlySet<TrackStretch["kind"]> = new Set(["held", "by-hand"]);
/** In which its worker waits for an answer: its orchestrator works on that until it asks a user. */
const waitingForAnswer: ReadonlySet<TrackStretch["kind"]> = new Set(["asks", "stuck"]);
/** In which nobody of an orchestrator does anything. */
const holding: ReadonlySet<TrackStretch["kind"]> = new Set(["paused", "provider"]);
/** After them nobody works on the track, until somebody begins again. */
const ending: ReadonlySet<TrackMark["kind"]> = new Set(["merged", "done", "abandoned", "ended"]);

/** A card that somebody's work waits for. `track`: whose; `to`: when it was answered, `Infinity` while it waits. */
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
 * When nobody worked: each lane that had begun was over or stood still, and each orchestrator waited for its lanes or for
 * a person, or no host was there. Follows from the past alone: what happens later moves none of their beginnings.
 *
 * @returns the oldest first, none of them touching another; `to` is null while one goes on
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

/** From where somebody begins on a track until it is over, as often as that happens. */
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

/** Whether more than half of a stretch lies in a set; of one that goes on, whether its end does. */
function covers(set: readonly Interval[], of: Interval): boolean {
  if (of.to === Infinity) return set.some(({ to }) => to === Infinity);
  const rest = without([of], set).reduce((sum, { from, to }) => sum + to - from, 0);
  return rest < (of.to - of.from) / 2;
}
