/** What happened in the run that is shown: one that goes on, one that is over, or a replay up to its moment. */
import type { RunTimeline, TimelineTrack } from "#shared/domain/timeline/timeline.ts";
import { useHost } from "./host-store.ts";

/** The same object until something new happened; each track the same until something new stands on it. */
export const useTimeline = (): RunTimeline | null => useHost((state) => state.timeline);

const byId = new WeakMap<readonly TimelineTrack[], ReadonlyMap<string, TimelineTrack>>();

/** By id; built once for each list of tracks. */
export function tracksById(timeline: RunTimeline | null): ReadonlyMap<string, TimelineTrack> {
  if (timeline === null) return new Map();
  const known = byId.get(timeline.tracks);
  if (known) return known;
  const made = new Map(timeline.tracks.map((track) => [track.id, track]));
  byId.set(timeline.tracks, made);
  return made;
}

/** One track, so that a lane renders alone when something new stands on it. */
export const useTrack = (id: string): TimelineTrack | null =>
  useHost((state) => tracksById(state.timeline).get(id) ?? null);
