/** Periods without work on a run, which are drawn shortened. (design section 12) */
import { common, type Interval, union, without } from "./intervals.ts";
import type { TimelineBreak, TimelineTrack, TrackMark, TrackStretch } from "./timeline.ts";

/** Shorter ones are not breaks: a question is answered, and work continues. ms */
export const minBreakMs = 2_000;

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
