/** What the pointer does on the canvas beside dragging: choosing, opening, and asking for a menu. */
import { useReactFlow } from "@xyflow/react";
import type { MouseEvent, RefObject } from "react";
import type { FoldedRow } from "#shared/graph/history-folding.ts";
import { inspect, select } from "../../state/selection-store.ts";
import { chooseRow } from "../change/choose-row.ts";
import { foldedRowOfKey, rowKeyOf } from "../model/graph-model.ts";
import { farNodeAt } from "./far-labels.ts";
import { pointAt } from "./pointed-row.ts";
import type { useCanvasMenu } from "./use-canvas-menu.ts";
import type { CanvasScene } from "./use-canvas-scene.ts";
import type { ZoomLevel } from "./zoom-level.ts";

interface CanvasPointer {
  readonly scene: CanvasScene;
  /** What has the focus of the canvas. */
  readonly list: RefObject<HTMLElement | null>;
  readonly level: ZoomLevel;
  readonly menu: ReturnType<typeof useCanvasMenu>;
  /** True right after a drag: its release is no click. */
  readonly wasDrag: () => boolean;
}

export function useCanvasPointer({ scene, list, level, menu, wasDrag }: CanvasPointer) {
  const rowAt = useRowAt(scene, level);
  return {
    onClick: (event: MouseEvent<HTMLElement>): void => {
      if (closest(event, "button, [role=menu]")) return;
      list.current?.focus({ preventScroll: true });
      const row = rowAt(event);
      if (row && !wasDrag()) chooseRow(row);
    },
    // Near by every node says itself what it is.
    onMouseMove: (event: MouseEvent): void => {
      const row = level === "far" && !closest(event, "button") ? rowAt(event) : null;
      pointAt(row && rowKeyOf(row));
    },
    onMouseLeave: (): void => pointAt(null),
    onDoubleClick: (event: MouseEvent): void => {
      const row = rowAt(event);
      if (row?.kind === "change") inspect(rowKeyOf(row));
    },
    onContextMenu: (event: MouseEvent): void => {
      const at = { x: event.clientX, y: event.clientY };
      const row = rowAt(event);
      if (!row) return;
      event.preventDefault();
      select(rowKeyOf(row));
      menu.ofRow(row, at);
    },
  };
}

/** The row under the pointer; far away, where no element stands for it, by its place. */
function useRowAt({ model, layout }: CanvasScene, level: ZoomLevel) {
  const flow = useReactFlow();
  return (event: MouseEvent): FoldedRow | null => {
    const key = closest(event, "[data-row-key]")?.dataset.rowKey;
    if (key) return model?.folded.rows[foldedRowOfKey(model, key)] ?? null;
    if (level !== "far" || !layout) return null;
    const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    return farNodeAt(layout.nodes, at, flow.getZoom())?.row ?? null;
  };
}

const closest = (event: MouseEvent, selector: string): HTMLElement | null =>
  event.target instanceof Element ? event.target.closest<HTMLElement>(selector) : null;
