/** Drag of a task inside the queue: a ghost at the pointer, a line where it will land, Escape cancels. */
import type { MouseEvent } from "react";
import { create } from "zustand";
import { priorities } from "#shared/domain/graph-words/metadata.ts";
import { nextToPointer } from "../../kit/drag-ghost.ts";
import {
  closest,
  type Drag,
  type DragHandlers,
  type Point,
  usePointerDrag,
} from "../../kit/use-pointer-drag.ts";
import { subjectOf } from "../../state/graph-store.ts";
import type { Band, Place } from "./queue-bands.ts";
import { move, shownBands } from "./queue-store.ts";

interface Dragged extends Point {
  readonly changeId: string;
  readonly place: Place | null;
}

const useDragged = create<{ readonly dragged: Dragged | null }>(() => ({ dragged: null }));
const dragged = (): Dragged | null => useDragged.getState().dragged;
const cancel = (): void => useDragged.setState({ dragged: null });

/** The place of a task that is dropped there: before or after a card, by the half in which the pointer is. */
function placeAt(under: Element | null, { y }: Point): Place | null {
  const section = closest(under, "[data-priority-band]");
  const priority = priorities.find((one) => one === section?.dataset.priorityBand);
  if (!section || !priority) return null;
  const item = closest(under, "[data-queue-index]");
  const index = Number(item?.dataset.queueIndex);
  if (item && Number.isInteger(index)) {
    const box = item.getBoundingClientRect();
    return { priority, index: y < box.top + box.height / 2 ? index : index + 1 };
  }
  // On the heading: the top of the band. Below its last card: the end.
  const heading = closest(under, "h3");
  const end = shownBands().find((band) => band.priority === priority)?.tasks.length ?? 0;
  return { priority, index: heading ? 0 : end };
}

const queueDrag: Drag = {
  at: (target) => closest(target, "[data-queue-card]")?.dataset.changeId ?? null,
  isTakenUp: () => dragged() !== null,
  isByPointer: () => dragged() !== null,
  takeUp(changeId, at) {
    useDragged.setState({ dragged: { changeId, ...at, place: null } });
    return true;
  },
  moveOver(under, at) {
    const known = dragged();
    if (known) useDragged.setState({ dragged: { ...known, ...at, place: placeAt(under, at) } });
  },
  drop() {
    const known = dragged();
    cancel();
    if (known?.place) void move(shownBands(), known.changeId, known.place);
  },
  cancel,
};

interface QueueDrag {
  readonly handlers: DragHandlers & { readonly onClickCapture: (event: MouseEvent) => void };
  /** The change whose card is on its way. */
  readonly dragged: string | null;
  readonly place: Place | null;
}

export function useQueueDrag(): QueueDrag {
  const { handlers, wasDrag } = usePointerDrag(queueDrag);
  const known = useDragged((state) => state.dragged);
  return {
    handlers: {
      ...handlers,
      onClickCapture(event) {
        // A card is a button: the release of a drag would open it, and a key that presses it is no release.
        if (event.detail === 0 || !wasDrag()) return;
        event.preventDefault();
        event.stopPropagation();
      },
    },
    dragged: known?.changeId ?? null,
    place: known?.place ?? null,
  };
}

/** What goes with the pointer. */
export function DragGhost({ bands }: { readonly bands: readonly Band[] }) {
  const known = useDragged((state) => state.dragged);
  const task = known && bands.flatMap((band) => band.tasks).find((one) => one.changeId === known.changeId);
  if (!task) return null;
  return (
    <div
      dir="auto"
      className="pointer-events-none fixed top-0 left-0 z-50 max-w-56 truncate rounded-md border border-accent bg-raised px-2.5 py-1 shadow-pop"
      style={nextToPointer(known)}
      data-drag-ghost
    >
      {subjectOf(task) || "no description"}
    </div>
  );
}
