/** Zoom in three bands, so that nodes render again when the band changes and not with every wheel step. */
import { useStore, useStoreApi } from "@xyflow/react";
import { type RefObject, useEffect } from "react";

export type ZoomLevel = "near" | "middle" | "far";

/**
 * From the second on all that a node says is drawn, at its own size or larger; below it only its subject is, in letters that
 * stay as large on screen; below the first nodes are only colours on a plain canvas.
 */
export const farBelow = 0.5;
const middleBelow = 1;
/** px of a subject on screen when shown without details. */
const alone = 13;

export const zoomLevelOf = (zoom: number): ZoomLevel =>
  zoom < farBelow ? "far" : zoom < middleBelow ? "middle" : "near";

/** px on the canvas of a subject shown without details. */
export const titleSize = (zoom: number): number => alone / Math.max(farBelow, zoom);

export const useZoomLevel = (): ZoomLevel => useStore((state) => zoomLevelOf(state.transform[2]));

/** Tells the style of an element how large subjects are; React has no part in zooming. */
export function useTitleSize(element: RefObject<HTMLElement | null>): void {
  const store = useStoreApi();
  useEffect(() => {
    let last = 0;
    const tell = (): void => {
      const [, , zoom] = store.getState().transform;
      if (zoom === last) return;
      last = zoom;
      element.current?.style.setProperty("--title-size", `${titleSize(zoom)}px`);
    };
    tell();
    return store.subscribe(tell);
  }, [store, element]);
}
