/** Marks that would lie upon each other are one. */
import type { TimelineTrack, TrackMark } from "../../domain/timeline/timeline.ts";
import type { MarkGroup, RowStretch } from "./run-canvas.ts";
import type { TimeScale } from "./time-scale.ts";

/** px between the middles of two marks: they are 11 px wide. */
export const markGap = 12;

interface Stretch {
  readonly left: number;
  readonly right: number;
}

/**
 * The marks of a track within a stretch of x, the oldest first. Those closer together than `markGap` are one group at
 * the first one's place, so that a group keeps its place while it grows.
 */
export function markGroups(
  marks: readonly TrackMark[],
  scale: TimeScale,
  { left, right }: Stretch,
): readonly MarkGroup[] {
  const groups: { id: string; x: number; marks: TrackMark[] }[] = [];
  for (const mark of [...marks].sort((a, b) => a.at - b.at)) {
    const x = scale.x(mark.at);
    if (x < left - 0.5 || x > right + 0.5) continue;
    const last = groups.at(-1);
    if (last && x - last.x < markGap) last.marks.push(mark);
    else groups.push({ id: mark.id, x, marks: [mark] });
  }
  return groups;
}

/** How long a track stood in a state, cut to what is shown. */
export function shownStretches(
  track: TimelineTrack | undefined,
  scale: TimeScale,
  { left, right }: Stretch,
): readonly RowStretch[] {
  return (track?.stretches ?? []).flatMap(({ id, kind, from, to }) => {
    const begin = Math.max(left, scale.x(from));
    const end = Math.min(right, to === null ? right : scale.x(to));
    return end <= begin ? [] : [{ id, kind, from: begin, to: end, isOpen: to === null }];
  });
}
