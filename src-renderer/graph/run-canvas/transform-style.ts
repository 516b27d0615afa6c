import type { CSSProperties } from "react";

interface Place {
  /** px */
  readonly x: number;
  /** px; 0 where it is left out */
  readonly y?: number;
  /** px, of a `stretchedLine`; others keep their own width. */
  readonly width?: number;
}

/** px of a line before it is scaled. A browser rounds widths to whole pixels of the screen, which is seen on short ones. */
const unscaled = 1_000;

/** Of a line whose width is given to `transformStyle`. */
export const stretchedLine = "canvas-move absolute left-0 w-[1000px] origin-left";

/** Where something with the class `canvas-move` is drawn; it glides there when this changes. */
export const transformStyle = ({ x, y = 0, width = unscaled }: Place): CSSProperties =>
  ({ "--move-x": `${x}px`, "--move-y": `${y}px`, "--move-width": width / unscaled }) as CSSProperties;
