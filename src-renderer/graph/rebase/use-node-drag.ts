/** Drags a change onto another to rebase it, or onto a band of the queue to give it that priority. */
import { type Priority, priorities } from "#shared/domain/change-metadata/metadata.ts";
import { closest, closestHandle, type Drag, usePointerDrag } from "../../kit/use-pointer-drag.ts";
import { aim, aimAtBand, cancelRebase, drop, movePointer, takeUp, useRebase } from "./rebase-store.ts";

const isPriority = (text: string | undefined): text is Priority => priorities.some((one) => one === text);

const nodeDrag: Drag = {
  at: (target) => closestHandle(target, "[data-change-id]")?.dataset.rowKey ?? null,
  isTakenUp: () => useRebase.getState().by !== null,
  isByPointer: () => useRebase.getState().by === "pointer",
  takeUp: (key, at) => takeUp(key, "pointer", at),
  moveOver(under, { x, y }) {
    movePointer(x, y);
    const band = closest(under, "[data-priority-band]")?.dataset.priorityBand;
    if (isPriority(band)) {
      aimAtBand(band);
      return;
    }
    aimAtBand(null);
    aim(closest(under, "[data-change-id]")?.dataset.rowKey ?? null);
  },
  drop,
  cancel: cancelRebase,
};

export const useNodeDrag = () => usePointerDrag(nodeDrag);
