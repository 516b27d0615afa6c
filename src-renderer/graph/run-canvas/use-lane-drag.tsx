/** Dragging a lane by its name: to another place in the queue. */
import type { MouseEvent, ReactNode, RefObject } from "react";
import { create } from "zustand";
import type { RunCanvas } from "#shared/graph/run-canvas/run-canvas.ts";
import { type Place, queuePlace } from "../../features/queue/queue-bands.ts";
import { move, shownBands } from "../../features/queue/queue-store.ts";
import { besidePointer } from "../../kit/drag-ghost.ts";
import {
  closest,
  type Drag,
  type DragHandlers,
  type Point,
  usePointerDrag,
} from "../../kit/use-pointer-drag.ts";

interface Dragged extends Point {
  readonly changeId: string;
  readonly title: string;
  readonly place: Place | null;
  /** Where it will lie: y in the window; null where it cannot. */
  readonly line: number | null;
}

const useDragged = create<{ readonly dragged: Dragged | null }>(() => ({ dragged: null }));
const dragged = (): Dragged | null => useDragged.getState().dragged;
const cancel = (): void => useDragged.setState({ dragged: null });

const laneAt = (element: Element | null): HTMLElement | null =>
  closest(element, "[data-lane][data-change-id]");

/** Before or after the lane under the pointer, by the half in which it is. */
function targetAt(under: Element | null, { y }: Point): Pick<Dragged, "place" | "line"> {
  const lane = laneAt(under);
  const at = lane && queuePlace(shownBands(), lane.dataset.changeId ?? "");
  if (!lane || !at) return { place: null, line: null };
  const box = lane.getBoundingClientRect();
  const isBefore = y < box.top + box.height / 2;
  return {
    place: isBefore ? at : { ...at, index: at.index + 1 },
    line: isBefore ? box.top : box.bottom,
  };
}

const laneDrag: Drag = {
  at: (target) => closest(target, "[data-lane-name]") && (laneAt(target)?.dataset.changeId ?? null),
  isTakenUp: () => dragged() !== null,
  isByPointer: () => dragged() !== null,
  takeUp(changeId, at) {
    // What is done, or not begun by anybody, has no place in the queue.
    if (!queuePlace(shownBands(), changeId)) return false;
    const lane = document.querySelector(`[data-lane][data-change-id="${CSS.escape(changeId)}"]`);
    useDragged.setState({
      dragged: { changeId, title: lane?.getAttribute("aria-label") ?? "", ...at, place: null, line: null },
    });
    return true;
  },
  moveOver(under, at) {
    const known = dragged();
    if (known) useDragged.setState({ dragged: { ...known, ...at, ...targetAt(under, at) } });
  },
  drop() {
    const known = dragged();
    cancel();
    if (known?.place) void move(shownBands(), known.changeId, known.place);
  },
  cancel,
};

interface LaneDrag {
  readonly handlers: DragHandlers & { readonly onClickCapture: (event: MouseEvent) => void };
  readonly ghost: ReactNode;
}

export function useLaneDrag(canvas: RunCanvas | null, panel: RefObject<HTMLElement | null>): LaneDrag {
  const { handlers, wasDrag } = usePointerDrag(laneDrag);
  const known = useDragged((state) => state.dragged);
  // Asked for only while something is dragged: it makes the browser lay out the page at once.
  const top = known ? (panel.current?.getBoundingClientRect().top ?? 0) : 0;
  return {
    handlers: {
      ...handlers,
      onClickCapture(event) {
        // The release of a drag would open the lane.
        if (event.detail === 0 || !wasDrag()) return;
        event.preventDefault();
        event.stopPropagation();
      },
    },
    ghost: known && canvas && (
      <>
        {known.line !== null && (
          <div
            className="pointer-events-none absolute left-0 z-30 h-0.5 rounded-full bg-accent"
            style={{ top: known.line - top - 1, width: canvas.columns.margin }}
          />
        )}
        <div
          className="pointer-events-none fixed top-0 left-0 z-50 max-w-64 truncate rounded-md border border-accent bg-raised px-2.5 py-1 shadow-pop"
          style={besidePointer(known)}
          data-drag-ghost
        >
          <bdi>{known.title}</bdi>
          {known.place && <span className="text-muted"> · {known.place.priority} priority</span>}
        </div>
      </>
    ),
  };
}
