/** What happened in the run that is shown: one that goes on, one that is over, or a replay up to its moment. */
import type { RunTimeline } from "#shared/domain/timeline/timeline.ts";
import { useHost } from "./host-store.ts";

/** The same object until something new happened; each track the same until something new stands on it. */
export const useTimeline = (): RunTimeline | null => useHost((state) => state.timeline);
