import type { Point } from "./use-pointer-drag.ts";

/** Beside the pointer, and inside the window wherever the pointer goes: as wide and as high as what is dragged may be. */
export const besidePointer = ({ x, y }: Point): { readonly transform: string } => ({
  transform: `translate(min(${x + 12}px, calc(100vw - 17rem)), min(${y + 8}px, calc(100vh - 2.75rem)))`,
});
