import { type CSSProperties, type RefObject, useEffect, useState } from "react";
import { defaultWindow } from "#shared/contract/settings.ts";
import type { Room } from "#shared/graph/run-canvas/canvas-input.ts";
import { usePreference } from "../../state/preferences.ts";

/** How much larger than usual a canvas is drawn: as a whole, for text that is larger than usual. */
export const useCanvasZoom = (): number => Math.max(1, usePreference("fontSize") / defaultWindow.fontSize);

/** Of a canvas: its px and its text grow together, so that nothing in it depends on the size of text. */
export const zoomStyle = (zoom: number): CSSProperties =>
  zoom === 1
    ? {}
    : ({ zoom, "--text-scale": 1, fontSize: defaultWindow.fontSize, lineHeight: "20px" } as CSSProperties);

/** The size of the panel in which a run or its plan is drawn; null until it is known. In px before it is zoomed. */
export function useRoom(panel: RefObject<HTMLElement | null>): Room | null {
  const [room, setRoom] = useState<Room | null>(null);
  useEffect(() => {
    const element = panel.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => {
      if (!entry) return;
      const { width, height } = entry.contentRect;
      if (width > 0 && height > 0) setRoom({ width: Math.round(width), height: Math.round(height) });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [panel]);
  return room;
}
