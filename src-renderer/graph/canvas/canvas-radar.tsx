import type { EdgeProps } from "@xyflow/react";
import { memo } from "react";
import { nodeHeight, nodeWidth } from "#shared/graph/canvas-layout.ts";
import { useHost } from "../../state/host-store.ts";
import { orderOf, shortList } from "../../state/radar.ts";
import type { RadarFlowEdge } from "./canvas-elements.ts";

/** How far a line swings out of the row, or column, of its two nodes. */
const swing = 28;

/** From the middle of the upper node's lower edge and of the lower node's upper edge, as React Flow gives them. */
export function radarPath(x1: number, bottom: number, x2: number, top: number): string {
  const [y1, y2] = [bottom - nodeHeight / 2, top + nodeHeight / 2];
  // Measured ends are off by a pixel now and then.
  if (Math.abs(y1 - y2) < nodeHeight / 2) {
    // Side by side: above the nodes between them.
    const edge = Math.min(y1, y2) - nodeHeight / 2;
    return `M${x1} ${edge}C${x1} ${edge - swing} ${x2} ${edge - swing} ${x2} ${edge}`;
  }
  const half = nodeWidth / 2;
  if (Math.abs(x1 - x2) < half) {
    const out = x1 + half + swing;
    return `M${x1 + half} ${y1}C${out} ${y1} ${out} ${y2} ${x2 + half} ${y2}`;
  }
  const side = x1 < x2 ? half : -half;
  const middle = (x1 + x2) / 2;
  return `M${x1 + side} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2 - side} ${y2}`;
}

/** Two agents that are about to collide. No ancestry: dotted, and in the colour of a warning. */
export const RadarEdge = memo(function RadarEdge({
  sourceX,
  sourceY,
  targetX,
  targetY,
  data,
}: EdgeProps<RadarFlowEdge>) {
  const path = radarPath(sourceX, sourceY, targetX, targetY);
  const ordered = useHost(({ run }) => (run && data ? orderOf(run.collisions, data.a, data.b) : ""));
  return (
    <g data-radar-edge={data ? `${data.a} ${data.b}` : undefined}>
      <path
        d={path}
        fill="none"
        stroke="var(--warning)"
        strokeWidth={2.5}
        strokeLinecap="round"
        strokeDasharray="0.1 6"
      />
      {/* Wide enough to be pointed at. */}
      <path d={path} fill="none" stroke="transparent" strokeWidth={14} pointerEvents="stroke">
        {data && (
          <title>
            {`${data.a} and ${data.b} would conflict in ${shortList(data.files)}${ordered && ` · ${ordered}`}`}
          </title>
        )}
      </path>
    </g>
  );
});
