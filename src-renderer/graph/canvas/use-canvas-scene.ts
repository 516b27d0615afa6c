/** What the map shows, and where. */
import { useCallback, useMemo } from "react";
import type { CanvasLayout } from "#shared/graph/canvas-layout.ts";
import { type RadarLink, useRadarLinks } from "../../state/radar.ts";
import { canvasOf, foldedRowOfKey, type GraphModel, useModel } from "../model/graph-model.ts";
import { type FlowEdge, type FlowNode, flowOf } from "./canvas-elements.ts";

interface Place {
  readonly x: number;
  readonly y: number;
}

export interface CanvasScene {
  readonly model: GraphModel | null;
  readonly layout: CanvasLayout | null;
  readonly radar: readonly RadarLink[];
  readonly flowed: { readonly nodes: FlowNode[]; readonly edges: FlowEdge[] };
  /** The upper left corner of what a key names. */
  readonly placeOf: (key: string) => Place | undefined;
}

const nothing: CanvasScene["flowed"] = { nodes: [], edges: [] };

export function useCanvasScene(): CanvasScene {
  const model = useModel((state) => state.model);
  const layout = model && canvasOf(model);
  const radar = useRadarLinks();
  const flowed = useMemo(() => (layout ? flowOf(layout, radar) : nothing), [layout, radar]);
  const placeOf = useCallback(
    (key: string) => layout?.nodes[model ? foldedRowOfKey(model, key) : -1],
    [layout, model],
  );
  return { model, layout, radar, flowed, placeOf };
}
