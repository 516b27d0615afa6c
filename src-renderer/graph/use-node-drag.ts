/** Own drag for rows and nodes: hit test by what is under the pointer, Escape cancels, a click stays a click. */
import type { PointerEvent as ReactPointerEvent } from "react";
import { useEffect, useRef } from "react";
import type { Priority } from "#shared/domain/metadata.ts";
import { priorities } from "#shared/domain/metadata.ts";
import { aim, aimAtBand, cancelRebase, drop, movePointer, takeUp, useRebase } from "./rebase-store.ts";

const startsAfterPx = 5;

const closest = (target: Element | null, selector: string): HTMLElement | null =>
  target?.closest<HTMLElement>(selector) ?? null;

const isPriority = (text: string | undefined): text is Priority => priorities.some((one) => one === text);

export function useNodeDrag() {
  const start = useRef<{
    readonly key: string;
    readonly x: number;
    readonly y: number;
    readonly pointer: number;
  } | null>(null);
  const moved = useRef(false);

  useEffect(() => {
    const onEscape = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || useRebase.getState().by === null) return;
      event.preventDefault();
      event.stopPropagation();
      start.current = null;
      cancelRebase();
    };
    addEventListener("keydown", onEscape, true);
    return () => removeEventListener("keydown", onEscape, true);
  }, []);

  const onPointerDown = (event: ReactPointerEvent<HTMLElement>): void => {
    moved.current = false;
    if (event.button !== 0 || !(event.target instanceof Element) || event.target.closest("button")) return;
    const key = closest(event.target, "[data-change-id]")?.dataset.rowKey;
    if (key) start.current = { key, x: event.clientX, y: event.clientY, pointer: event.pointerId };
  };

  const onPointerMove = (event: ReactPointerEvent<HTMLElement>): void => {
    const from = start.current;
    if (!from || event.pointerId !== from.pointer) return;
    if (useRebase.getState().by !== "pointer") {
      if (Math.hypot(event.clientX - from.x, event.clientY - from.y) < startsAfterPx) return;
      moved.current = true;
      if (!takeUp(from.key, "pointer", { x: event.clientX, y: event.clientY })) {
        start.current = null;
        return;
      }
      event.currentTarget.setPointerCapture(event.pointerId);
    }
    movePointer(event.clientX, event.clientY);
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const band = closest(under, "[data-priority-band]")?.dataset.priorityBand;
    if (isPriority(band)) aimAtBand(band);
    else {
      aimAtBand(null);
      aim(closest(under, "[data-change-id]")?.dataset.rowKey ?? null);
    }
  };

  const end = (): void => {
    start.current = null;
    if (useRebase.getState().by === "pointer") drop();
  };

  const onPointerCancel = (): void => {
    start.current = null;
    if (useRebase.getState().by === "pointer") cancelRebase();
  };

  /** True right after a drag, so that its release does not count as a click. */
  const wasDrag = (): boolean => moved.current;

  return { handlers: { onPointerDown, onPointerMove, onPointerUp: end, onPointerCancel }, wasDrag };
}
