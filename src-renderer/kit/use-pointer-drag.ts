/** Shared by every drag: a click stays a click, Escape cancels, the target is what is under the pointer. */
import type { PointerEvent as ReactPointerEvent } from "react";
import { useEffect, useRef } from "react";

const startsAfterPx = 5;

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** One kind of drag. Its state lives in a store, so that what it dims and draws is one with the keyboard's way. */
export interface Drag {
  /** What a press on this element takes up; null when there is nothing to drag. */
  readonly at: (target: Element) => string | null;
  /** True while something is taken up, by pointer or by keyboard. */
  readonly isTakenUp: () => boolean;
  readonly isByPointer: () => boolean;
  /** False when it may not be dragged; the store has said why. */
  readonly takeUp: (what: string, at: Point) => boolean;
  readonly moveOver: (under: Element | null, at: Point) => void;
  readonly drop: () => void;
  readonly cancel: () => void;
}

export const closest = (target: Element | null, selector: string): HTMLElement | null =>
  target?.closest<HTMLElement>(selector) ?? null;

/** The same, where a button on what can be dragged is no handle of it. */
export const closestHandle = (target: Element, selector: string): HTMLElement | null =>
  target.closest("button") ? null : closest(target, selector);

type PointerHandler = (event: ReactPointerEvent<HTMLElement>) => void;

export interface DragHandlers {
  readonly onPointerDown: PointerHandler;
  readonly onPointerMove: PointerHandler;
  readonly onPointerUp: PointerHandler;
  readonly onPointerCancel: PointerHandler;
}

/** Handlers for the element that holds what can be dragged. `drag` must be the same object at every render. */
export function usePointerDrag(drag: Drag): {
  readonly handlers: DragHandlers;
  /** True right after a drag, so that its release does not count as a click. */
  readonly wasDrag: () => boolean;
} {
  const pressed = useRef<(Point & { readonly what: string; readonly pointer: number }) | null>(null);
  const moved = useRef(false);

  useEffect(() => {
    const onEscape = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || !drag.isTakenUp()) return;
      event.preventDefault();
      event.stopPropagation();
      pressed.current = null;
      drag.cancel();
    };
    addEventListener("keydown", onEscape, true);
    return () => removeEventListener("keydown", onEscape, true);
  }, [drag]);

  const onPointerDown = (event: ReactPointerEvent<HTMLElement>): void => {
    moved.current = false;
    if (event.button !== 0 || !(event.target instanceof Element)) return;
    const what = drag.at(event.target);
    if (what) pressed.current = { what, x: event.clientX, y: event.clientY, pointer: event.pointerId };
  };

  const onPointerMove = (event: ReactPointerEvent<HTMLElement>): void => {
    const from = pressed.current;
    if (!from || event.pointerId !== from.pointer) return;
    const at = { x: event.clientX, y: event.clientY };
    if (!drag.isByPointer()) {
      if (Math.hypot(at.x - from.x, at.y - from.y) < startsAfterPx) return;
      moved.current = true;
      if (!drag.takeUp(from.what, at)) {
        pressed.current = null;
        return;
      }
      event.currentTarget.setPointerCapture(event.pointerId);
    }
    drag.moveOver(document.elementFromPoint(at.x, at.y), at);
  };

  const end = (settle: () => void) => (): void => {
    pressed.current = null;
    if (drag.isByPointer()) settle();
  };

  return {
    handlers: {
      onPointerDown,
      onPointerMove,
      onPointerUp: end(drag.drop),
      onPointerCancel: end(drag.cancel),
    },
    wasDrag: (): boolean => moved.current,
  };
}

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
