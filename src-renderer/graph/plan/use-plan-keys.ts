/** The keys of a proposed plan's parts, the same on the canvas and in the log. */
import type { KeyboardEvent } from "react";
import { priorities } from "#shared/domain/graph-words/metadata.ts";
import { type PlanPart, taskOfPart } from "#shared/graph/plan-layout.ts";
import {
  addPlannedTask,
  movePhase,
  planPartMenu,
  prioritise,
  removePlannedTask,
} from "../../features/plan/plan-actions.ts";
import { keyOfPart, partOfKey } from "../../features/plan/plan-parts.ts";
import { aimLink, cancelLink, dropLink, takeUpTask, usePlanLink } from "../../state/plan-link-store.ts";
import { inspect, select, useSelection } from "../../state/selection-store.ts";

export interface PlanKeys {
  /** Where a key leads from a part; `below` leaves the plan downwards, null is no way. */
  readonly walk: (part: PlanPart, key: string) => PlanPart | "below" | null;
  /** The walk left the plan. */
  readonly leave: () => void;
  readonly openMenu: (part: PlanPart) => void;
}

/** Answers whether the key was one of the selected part's, and has been taken. */
export function planKey(event: KeyboardEvent, { walk, leave, openMenu }: PlanKeys): boolean {
  const part = partOfKey(useSelection.getState().selected);
  if (part === null || event.nativeEvent.isComposing) return false;
  const link = usePlanLink.getState();
  const picking = link.by === "keyboard";
  const { key } = event;

  const handled = ((): boolean => {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (picking) {
      if (key === "Enter") dropLink();
      else if (key === "Escape") cancelLink();
      else {
        const from = link.target?.kind === "part" ? link.target.part : part;
        const to = walk(from, key);
        if (to !== null && to !== "below") aimLink({ kind: "part", part: to });
      }
      return true;
    }
    if (key === "ContextMenu" || (key === "F10" && event.shiftKey)) {
      if (planPartMenu(part).length > 0) openMenu(part);
      return true;
    }
    if (key === "Enter" || key === " " || key === "F2") {
      inspect(keyOfPart(part));
      return true;
    }
    if (key === "Escape") {
      select(null);
      return true;
    }
    const to = walk(part, key);
    if (to !== null) {
      if (to === "below") leave();
      else select(keyOfPart(to));
      return true;
    }
    return edit(part, key);
  })();
  if (!handled) return false;
  event.preventDefault();
  event.stopPropagation();
  return true;
}

function edit(part: PlanPart, key: string): boolean {
  if (key === "n") {
    addPlannedTask();
    return true;
  }
  const task = taskOfPart(part);
  if (task === null) return false;
  const priority = priorities[Number(key) - 1];
  if (/^[1-4]$/u.test(key) && priority) prioritise(task, priority);
  else if (key === "Delete" || key === "Backspace") removePlannedTask(task);
  else if (key === "l") takeUpTask(task, "keyboard");
  else if (key === "[") movePhase(task, -1);
  else if (key === "]") movePhase(task, 1);
  else return false;
  return true;
}
