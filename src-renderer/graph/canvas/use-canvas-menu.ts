import { useReactFlow } from "@xyflow/react";
import { useState } from "react";
import { nodeHeight } from "#shared/graph/canvas-layout.ts";
import type { FoldedRow } from "#shared/graph/history-folding.ts";
import type { OpenMenu } from "../../kit/open-menu.ts";
import { rowMenu } from "../change/change-menu.tsx";
import { rowKeyOf } from "../model/graph-model.ts";
import type { CanvasScene } from "./use-canvas-scene.ts";

/** The one menu of the canvas: at the pointer, or below what the keys opened it for. */
export function useCanvasMenu({ placeOf }: CanvasScene) {
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const flow = useReactFlow();
  const below = (key: string): OpenMenu["at"] | null => {
    const place = placeOf(key);
    return place ? flow.flowToScreenPosition({ x: place.x + 16, y: place.y + nodeHeight }) : null;
  };
  const show = (at: OpenMenu["at"] | null, entries: () => OpenMenu["entries"]): void => {
    if (at) setMenu({ at, entries: entries() });
  };
  return {
    menu,
    close: () => setMenu(null),
    ofRow: (row: FoldedRow, at = below(rowKeyOf(row))) => show(at, () => rowMenu(row)),
  };
}
