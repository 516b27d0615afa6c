import type { EdgeProps } from "@xyflow/react";
import { memo } from "react";
import { laneColour } from "../model/lane-colour.ts";
import type { ChangeFlowEdge } from "./canvas-elements.ts";

const bendHeight = 30;

/** From child to parent: straight down, or one soft bend right below the child and then down the parent's lane. */
function pathOf(x1: number, y1: number, x2: number, y2: number): string {
  if (Math.abs(x1 - x2) < 1) return `M${x1} ${y1}V${y2}`;
  const end = Math.min(y1 + bendHeight, y2);
  const half = (y1 + end) / 2;
  return `M${x1} ${y1}C${x1} ${half} ${x2} ${half} ${x2} ${end}V${y2}`;
}

export const ChangeEdge = memo(function ChangeEdge({
  sourceX,
  sourceY,
  targetX,
  targetY,
  data,
}: EdgeProps<ChangeFlowEdge>) {
  return (
    <path
      d={pathOf(sourceX, sourceY, targetX, targetY)}
      fill="none"
      stroke={laneColour(data?.hue ?? 0)}
      strokeWidth={1.75}
      strokeOpacity={0.8}
    />
  );
});
