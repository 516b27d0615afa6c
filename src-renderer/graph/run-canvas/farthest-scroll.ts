import type { Room } from "#shared/graph/run-canvas/canvas-input.ts";
import type { RunCanvas } from "#shared/graph/run-canvas/run-canvas.ts";

/** How far the rows can be scrolled, in px. */
export const farthestScroll = ({ rowsBottom }: RunCanvas, room: Room): number =>
  Math.max(0, rowsBottom + 10 - room.height);
