import type { CSSProperties } from "react";

interface Place {
  /** px */
  readonly x: number;
  /** px; 0 where it is left out */
  readonly y?: number;
  /** Times its own; 1 where it is left out. */
  readonly width?: number;
}

/** Where something with the class `canvas-move` is drawn; it glides there when this changes. */
export const transformStyle = ({ x, y = 0, width = 1 }: Place): CSSProperties =>
  ({ "--move-x": `${x}px`, "--move-y": `${y}px`, "--move-width": width }) as CSSProperties;
