import { useReactFlow } from "@xyflow/react";
import { useMemo } from "react";
import type { KeyTable } from "../../kit/key-table.ts";
import { canvasOf, useModel } from "../model/graph-model.ts";

export interface MapZoom {
  readonly larger: () => void;
  readonly smaller: () => void;
  readonly showEverything: () => void;
}

/** @param onZoom hears that a person has chosen what to look at */
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
