import { type RefObject, useEffect, useState } from "react";
import type { Room } from "#shared/graph/run-canvas/canvas-input.ts";

/** The size of the panel in which a run or its plan is drawn; null until it is known. */
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
