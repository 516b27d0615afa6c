/** Zoom in three bands, so that nodes render again when the band changes and not with every wheel step. */
import { useStore } from "@xyflow/react";

export type ZoomLevel = "near" | "middle" | "far";

/** Below the first nodes are only colours on a plain canvas; below the second they carry only their subject. */
const farBelow = 0.45;
const middleBelow = 0.7;

const zoomLevelOf = (zoom: number): ZoomLevel =>
  zoom < farBelow ? "far" : zoom < middleBelow ? "middle" : "near";

export const useZoomLevel = (): ZoomLevel => useStore((state) => zoomLevelOf(state.transform[2]));
