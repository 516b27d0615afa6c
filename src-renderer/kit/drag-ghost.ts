import type { Point } from "./use-pointer-drag.ts";

interface GhostSize {
  readonly width: string;
  readonly height: string;
}

const card: GhostSize = { width: "17rem", height: "2.75rem" };
/** What also says what a drop would do, in some lines. */
export const withOutcome: GhostSize = { width: "25rem", height: "8rem" };

/** Beside the pointer, and inside the window wherever the pointer goes: as wide and as high as what is dragged may be. */
export const nextToPointer = (
  { x, y }: Point,
  { width, height }: GhostSize = card,
): { readonly transform: string } => ({
  transform: `translate(min(${x + 12}px, calc(100vw - ${width})), min(${y + 8}px, calc(100vh - ${height})))`,
});
