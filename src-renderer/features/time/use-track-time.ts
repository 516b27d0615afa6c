import { useMemo } from "react";
import type { ReplayView } from "#shared/contract/views/replay.ts";
import { drawnTime } from "#shared/domain/timeline/drawn-time.ts";
import { useTimeline } from "../../state/timeline.ts";
import type { TrackTime } from "./actor-density.ts";

/** Breaks are drawn as short as on the canvas. */
export function useTrackTime(view: ReplayView | null, from: number, to: number): TrackTime {
  const live = useTimeline()?.breaks;
  const breaks = view ? view.breaks : live;
  const time = useMemo(() => drawnTime(breaks ?? [], from), [breaks, from]);
  return useMemo(() => ({ ...time, from, to }), [time, from, to]);
}
