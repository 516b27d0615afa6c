/** What happened in the run on screen: an active one, one that is over, or a replay up to its moment. */
import type { RunTimeline } from "#shared/domain/timeline/timeline.ts";
import { useHost } from "./host-store.ts";

/** The same object until something happens; each track the same until something happens on it. */
export const useTimeline = (): RunTimeline | null => useHost((state) => state.timeline);
