/** Shared by all canvas nodes: sizes and handles are given to React Flow, so that it measures nothing. */
import { Position } from "@xyflow/react";
import { nodeHeight, nodeWidth } from "#shared/graph/canvas-layout.ts";

export const fixed = {
  width: nodeWidth,
  height: nodeHeight,
  // Known before it is measured: nothing is drawn twice.
  measured: { width: nodeWidth, height: nodeHeight },
  draggable: false,
  selectable: false,
  className: "nopan",
  // React Flow calls every node one.
  domAttributes: { "aria-roledescription": undefined },
  // React Flow lets the pointer through what it does not itself select or drag.
  style: { pointerEvents: "all" as const },
  handles: [
    {
      type: "source" as const,
      position: Position.Bottom,
      x: nodeWidth / 2,
      y: nodeHeight,
      width: 1,
      height: 1,
    },
    { type: "target" as const, position: Position.Top, x: nodeWidth / 2, y: 0, width: 1, height: 1 },
  ],
};
