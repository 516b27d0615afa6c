/**
 * Marks are only ever added to a track, so those of an earlier moment are the first ones of a later one.
 * Moving back and forth in a run's time sends each once.
 */
import type { RunTimeline, TimelineTrack, TrackMark } from "./timeline.ts";

/** Track → how many of its marks were sent, from the first. */
export type MarkCounts = Readonly<Record<string, number>>;

/** A timeline without marks that were sent. */
export interface TimelineBeyond extends Omit<RunTimeline, "tracks"> {
  readonly tracks: readonly (Omit<TimelineTrack, "marks"> & {
    /** How many it has. */
    readonly count: number;
    /** Those of them that are not known, the last ones. */
    readonly beyond: readonly TrackMark[];
  })[];
}

/** Leaves out what is known. */
export const beyondMarks = (timeline: RunTimeline, known: MarkCounts): TimelineBeyond => ({
  ...timeline,
  tracks: timeline.tracks.map(({ marks, ...track }) => ({
    ...track,
    count: marks.length,
    beyond: marks.slice(Object.hasOwn(known, track.id) ? known[track.id] : 0),
  })),
});

export interface MarkMemory {
  counts(): MarkCounts;
  /** Puts it together with what is known. Marks that are as before are the same list again. */
  timeline(given: TimelineBeyond): RunTimeline;
}

/** Remembers the marks of one run that were ever sent. */
export function createMarkMemory(): MarkMemory {
  const known = new Map<string, readonly TrackMark[]>();
  const last = new Map<string, readonly TrackMark[]>();
  const marksOf = (id: string, count: number, beyond: readonly TrackMark[]): readonly TrackMark[] => {
    const before = last.get(id);
    if (before?.length === count) return before;
    const own = known.get(id) ?? [];
    const all = [...own.slice(0, count - beyond.length), ...beyond];
    if (all.length > own.length) known.set(id, all);
    last.set(id, all);
    return all;
  };
  return {
    counts: () => Object.fromEntries([...known].map(([id, marks]) => [id, marks.length])),
    timeline: (given) => ({
      ...given,
      tracks: given.tracks.map(({ count, beyond, ...track }) => ({
        ...track,
        marks: marksOf(track.id, count, beyond),
      })),
    }),
  };
}
