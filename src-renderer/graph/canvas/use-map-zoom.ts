import { useReactFlow, useStore, useStoreApi } from "@xyflow/react";
import { type RefObject, useEffect, useMemo } from "react";
import type { KeyTable } from "../../kit/key-table.ts";
import { canvasOf, useModel } from "../model/graph-model.ts";

export interface MapZoom {
  readonly larger: () => void;
  readonly smaller: () => void;
  readonly showEverything: () => void;
}

/** @param onZoom hears that a user has chosen what to look at */
export function useMapZoom(onZoom: () => void): MapZoom {
  const flow = useReactFlow();
  return useMemo(() => {
    const by = (move: () => Promise<boolean> | undefined) => (): void => {
      onZoom();
      void move();
    };
    return {
      larger: by(() => flow.zoomIn()),
      smaller: by(() => flow.zoomOut()),
      showEverything: by(() => {
        const { model } = useModel.getState();
        if (!model) return undefined;
        const { width, height, top } = canvasOf(model);
        return flow.fitBounds({ x: 0, y: top, width, height }, { padding: 0.08 });
      }),
    };
  }, [flow, onZoom]);
}

/** The same keys as on the canvas of a run. */
export const mapKeys: KeyTable<MapZoom> = {
  place: "On the map of changes",
  rows: [
    { keys: "plus", also: ["="], what: "zoom in", run: ({ larger }) => larger() },
    { keys: "-", what: "zoom out", run: ({ smaller }) => smaller() },
    { keys: "0", what: "show everything", run: ({ showEverything }) => showEverything() },
  ],
};

/** Zoom in three bands, so that nodes render again when the band changes and not with every wheel step. */
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
