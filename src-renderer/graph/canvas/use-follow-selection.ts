/** Keeps what is selected in sight on the canvas. */
import { useReactFlow, useStore } from "@xyflow/react";
import { useEffect } from "react";
import { nodeHeight, nodeWidth } from "#shared/graph/canvas-layout.ts";

const panMs = 160;
/** Room that is kept around what is brought into sight. */
const followMargin = 24;

type Place = { readonly x: number; readonly y: number } | undefined;

/** Moves the view only as far as the selected node is outside it. */
export function useFollowSelection(selected: string | null, placeOf: (key: string) => Place): void {
  const flow = useReactFlow();
  const size = useStore((state) => `${state.width} ${state.height}`);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new selection moves the view
  useEffect(() => {
    const place = selected && placeOf(selected);
    if (!place) return;
    const [width = 0, height = 0] = size.split(" ").map(Number);
    const { x, y, zoom } = flow.getViewport();
    const left = place.x * zoom + x;
    const top = place.y * zoom + y;
    const shift = (start: number, end: number, room: number): number =>
      start < followMargin ? followMargin - start : Math.min(0, room - followMargin - end);
    const right = shift(left, left + nodeWidth * zoom, width);
    const down = shift(top, top + nodeHeight * zoom, height);
    if (right === 0 && down === 0) return;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    void flow.setViewport({ x: x + right, y: y + down, zoom }, { duration: calm ? 0 : panMs });
  }, [selected]);
}
