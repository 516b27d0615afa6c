/** Drag of a task inside the queue: a ghost at the pointer, a line where it will land, Escape cancels. */
import type { ReactNode, PointerEvent as ReactPointerEvent } from "react";
import { useEffect, useRef, useState } from "react";
import { priorities } from "#shared/domain/metadata.ts";
import { subjectOf } from "../../state/graph-store.ts";
import type { Band, Place } from "./queue-bands.ts";
import { move } from "./queue-store.ts";

const startsAfterPx = 5;

interface Drag {
  readonly changeId: string;
  readonly x: number;
  readonly y: number;
  readonly place: Place | null;
}

/** The place under a point: before or after a card, by the half in which the point is. */
function placeAt(x: number, y: number, bands: readonly Band[]): Place | null {
  const under = document.elementFromPoint(x, y);
  const section = under?.closest<HTMLElement>("[data-priority-band]");
  const priority = priorities.find((one) => one === section?.dataset.priorityBand);
  if (!section || !priority) return null;
  const item = under?.closest<HTMLElement>("[data-queue-index]");
  const index = Number(item?.dataset.queueIndex);
  if (item && Number.isInteger(index)) {
    const box = item.getBoundingClientRect();
    return { priority, index: y < box.top + box.height / 2 ? index : index + 1 };
  }
  // On the heading: the top of the band. Below its last card: the end.
  const heading = under?.closest("h3");
  return {
    priority,
    index: heading ? 0 : (bands.find((band) => band.priority === priority)?.tasks.length ?? 0),
  };
}

export function useQueueDrag(bands: readonly Band[]) {
  const [drag, setDrag] = useState<Drag | null>(null);
  const start = useRef<{ readonly changeId: string; readonly x: number; readonly y: number } | null>(null);
  const swallowClick = useRef(false);

  useEffect(() => {
    if (!drag) return;
    const onEscape = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      start.current = null;
      setDrag(null);
    };
    addEventListener("keydown", onEscape, true);
    return () => removeEventListener("keydown", onEscape, true);
  }, [drag]);

  const handlers = {
    onPointerDown: (event: ReactPointerEvent<HTMLElement>): void => {
      swallowClick.current = false;
      if (event.button !== 0 || !(event.target instanceof Element)) return;
      const changeId = event.target.closest<HTMLElement>("[data-queue-card]")?.dataset.changeId;
      if (changeId) start.current = { changeId, x: event.clientX, y: event.clientY };
    },
    onPointerMove: (event: ReactPointerEvent<HTMLElement>): void => {
      const from = start.current;
      if (!from) return;
      if (!drag) {
        if (Math.hypot(event.clientX - from.x, event.clientY - from.y) < startsAfterPx) return;
        event.currentTarget.setPointerCapture(event.pointerId);
      }
      setDrag({
        changeId: from.changeId,
        x: event.clientX,
        y: event.clientY,
        place: placeAt(event.clientX, event.clientY, bands),
      });
    },
    onPointerUp: (): void => {
      start.current = null;
      if (!drag) return;
      swallowClick.current = true;
      setDrag(null);
      if (drag.place) void move(bands, drag.changeId, drag.place);
    },
    onPointerCancel: (): void => {
      start.current = null;
      setDrag(null);
    },
    onClickCapture: (event: React.MouseEvent): void => {
      if (!swallowClick.current) return;
      swallowClick.current = false;
      event.preventDefault();
      event.stopPropagation();
    },
  };

  const task = drag && bands.flatMap((band) => band.tasks).find((one) => one.changeId === drag.changeId);
  const ghost: ReactNode = drag && task && (
    <div
      className="pointer-events-none fixed top-0 left-0 z-50 max-w-56 truncate rounded-md border border-accent bg-raised px-2.5 py-1 shadow-pop"
      style={{ transform: `translate(${drag.x + 12}px, ${drag.y + 8}px)` }}
    >
      {subjectOf(task) || "no description"}
    </div>
  );
  return { handlers, ghost, dragged: drag?.changeId ?? null, place: drag?.place ?? null };
}
