import { type RefObject, useEffect } from "react";
import { usePlanLink } from "../../state/plan-link-store.ts";

/** px from an edge in which it is scrolled, and by how much in a frame. */
const edge = 28;
const most = 12;

/** A task that is dragged to the upper or lower edge brings further lanes into sight. */
export function useScrollWhileDragged(box: RefObject<HTMLElement | null>): void {
  const isDragged = usePlanLink(({ by }) => by === "pointer");
  useEffect(() => {
    if (!isDragged) return;
    let frame = 0;
    const step = (): void => {
      const element = box.current;
      if (element) {
        const { top, bottom } = element.getBoundingClientRect();
        const { y } = usePlanLink.getState().point;
        const above = Math.max(0, top + edge - y);
        const below = Math.max(0, y - (bottom - edge));
        if (above > 0 && y > top - edge) element.scrollTop -= Math.min(most, above);
        else if (below > 0) element.scrollTop += Math.min(most, below);
      }
      frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [box, isDragged]);
}
