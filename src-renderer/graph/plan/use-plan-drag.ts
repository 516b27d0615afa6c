/** Drags a planned task onto what it will wait for, or onto a phase; the same on the canvas and in the log. */
import { useEffect } from "react";
import { taskOfPart } from "#shared/graph/plan-layout.ts";
import { closest, closestHandle, type Drag, usePointerDrag } from "../../kit/use-pointer-drag.ts";
import {
  aimLink,
  cancelLink,
  dropLink,
  moveLink,
  takeUpTask,
  usePlanLink,
} from "../../state/plan-link-store.ts";

const planDrag: Drag = {
  at: (target) => taskOfPart(closestHandle(target, "[data-plan-part]")?.dataset.planPart ?? ""),
  isTakenUp: () => usePlanLink.getState().by !== null,
  isByPointer: () => usePlanLink.getState().by === "pointer",
  takeUp: (task, at) => takeUpTask(task, "pointer", at),
  moveOver(under, { x, y }) {
    moveLink(x, y);
    const part = closest(under, "[data-plan-part]")?.dataset.planPart;
    const phase = closest(under, "[data-phase-band]")?.dataset.phaseBand;
    if (part !== undefined) aimLink({ kind: "part", part });
    else aimLink(phase === undefined ? null : { kind: "phase", phase: Number(phase) });
  },
  drop: dropLink,
  cancel: cancelLink,
};

export function usePlanDrag() {
  // A plan that is approved or put away takes the link that was being drawn with it.
  useEffect(() => cancelLink, []);
  return usePointerDrag(planDrag);
}
