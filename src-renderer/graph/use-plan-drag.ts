/** Drags a planned task onto what it will wait for, or onto a phase; the same on the canvas and in the log. */
import type { PointerEvent as ReactPointerEvent } from "react";
import { useEffect, useRef } from "react";
import { taskOfPart } from "#shared/graph/plan-layout.ts";
import {
  aimLink,
  cancelLink,
  dropLink,
  moveLink,
  takeUpTask,
  usePlanLink,
} from "../state/plan-link-store.ts";

const startsAfterPx = 5;

const closest = (target: Element | null, selector: string): HTMLElement | null =>
  target?.closest<HTMLElement>(selector) ?? null;

export function usePlanDrag() {
  const start = useRef<{
    readonly task: string;
    readonly x: number;
    readonly y: number;
    readonly pointer: number;
  } | null>(null);
  const moved = useRef(false);

  useEffect(() => {
    const onEscape = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || usePlanLink.getState().by === null) return;
      event.preventDefault();
      event.stopPropagation();
      start.current = null;
      cancelLink();
    };
    addEventListener("keydown", onEscape, true);
    return () => {
      removeEventListener("keydown", onEscape, true);
      cancelLink();
    };
  }, []);

  const onPointerDown = (event: ReactPointerEvent<HTMLElement>): void => {
    moved.current = false;
    if (event.button !== 0 || !(event.target instanceof Element) || event.target.closest("button")) return;
    const task = taskOfPart(closest(event.target, "[data-plan-part]")?.dataset.planPart ?? "");
    if (task !== null) start.current = { task, x: event.clientX, y: event.clientY, pointer: event.pointerId };
  };

  const onPointerMove = (event: ReactPointerEvent<HTMLElement>): void => {
    const from = start.current;
    if (!from || event.pointerId !== from.pointer) return;
    if (usePlanLink.getState().by !== "pointer") {
      if (Math.hypot(event.clientX - from.x, event.clientY - from.y) < startsAfterPx) return;
      moved.current = true;
      takeUpTask(from.task, "pointer", { x: event.clientX, y: event.clientY });
      event.currentTarget.setPointerCapture(event.pointerId);
    }
    moveLink(event.clientX, event.clientY);
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const part = closest(under, "[data-plan-part]")?.dataset.planPart;
    const phase = closest(under, "[data-phase-band]")?.dataset.phaseBand;
    if (part !== undefined) aimLink({ kind: "part", part });
    else aimLink(phase === undefined ? null : { kind: "phase", phase: Number(phase) });
  };

  const onPointerUp = (): void => {
    start.current = null;
    if (usePlanLink.getState().by === "pointer") dropLink();
  };

  const onPointerCancel = (): void => {
    start.current = null;
    if (usePlanLink.getState().by === "pointer") cancelLink();
  };

  return {
    handlers: { onPointerDown, onPointerMove, onPointerUp, onPointerCancel },
    /** True right after a drag, so that its release does not count as a click. */
    wasDrag: (): boolean => moved.current,
  };
}
