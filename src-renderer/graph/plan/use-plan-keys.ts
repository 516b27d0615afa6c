/** The keys of a proposed plan's parts, the same on the canvas and in the log. */
import type { KeyboardEvent } from "react";
import { priorities } from "#shared/domain/change-metadata/metadata.ts";
import { type PlanPart, taskOfPart } from "#shared/graph/plan-layout.ts";
import {
  addPlannedTask,
  keyOfPart,
  movePhase,
  partOfKey,
  planPartMenu,
  prioritise,
  removePlannedTask,
  useToBeNamed,
} from "../../features/plan/plan-actions.ts";
import { type KeyPress, type KeyTable, takeKey } from "../../kit/key-table.ts";
import { aimLink, cancelLink, dropLink, takeUpTask, usePlanLink } from "../../state/plan-link-store.ts";
import { inspect, select, useSelection } from "../../state/selection-store.ts";

export interface PlanKeys {
  /** Where a key leads from a part; `below` leaves the plan downwards, null is no way. */
  readonly walk: (part: PlanPart, key: string) => PlanPart | "below" | null;
  /** The walk left the plan. */
  readonly leave: () => void;
  readonly openMenu: (part: PlanPart) => void;
}

interface PlanPlace extends PlanKeys {
  readonly part: PlanPart;
}

/** Of one part, whose task is to be changed. */
const ofTask =
  (change: (task: string) => void) =>
  ({ part }: PlanPlace): boolean => {
    const task = taskOfPart(part);
    if (task !== null) change(task);
    return task !== null;
  };

function step({ part, walk, leave }: PlanPlace, { key }: KeyPress): boolean {
  const to = walk(part, key);
  if (to === null) return false;
  if (to === "below") leave();
  else select(keyOfPart(to));
  return true;
}

/** In the inspector, with the title ready to be typed over. */
function edit({ part }: PlanPlace): void {
  const task = taskOfPart(part);
  if (task !== null) useToBeNamed.setState({ task });
  inspect(keyOfPart(part));
}

export const planKeys: KeyTable<PlanPlace> = {
  place: "In a proposed plan",
  rows: [
    {
      keys: "ArrowUp",
      also: ["ArrowDown"],
      to: "ArrowDown",
      what: "next or previous part, or leave the plan",
      run: step,
    },
    {
      keys: "ArrowLeft",
      also: ["ArrowRight"],
      to: "ArrowRight",
      what: "along a phase, on the canvas",
      run: step,
    },
    { keys: "Home", also: ["End"], to: "End", what: "the first part, and the last", run: step },
    { keys: "Enter", also: ["F2"], what: "edit its title, description and files", run: edit },
    { keys: "space", what: "show it in the inspector", run: ({ part }) => inspect(keyOfPart(part)) },
    { keys: "n", what: "add a task", run: () => addPlannedTask() },
    { keys: "l", what: "choose what it waits for", run: ofTask((task) => takeUpTask(task, "keyboard")) },
    { keys: "[", what: "move to the previous phase", run: ofTask((task) => movePhase(task, -1)) },
    { keys: "]", what: "move to the next phase", run: ofTask((task) => movePhase(task, 1)) },
    {
      keys: "1",
      also: ["2", "3", "4"],
      to: "4",
      what: "critical, high, medium or low priority",
      run: (here, { key }) =>
        ofTask((task) => prioritise(task, priorities[Number(key) - 1] ?? "medium"))(here),
    },
    { keys: "Delete", also: ["Backspace"], what: "remove the task", run: ofTask(removePlannedTask) },
    {
      keys: "shift+F10",
      also: ["ContextMenu"],
      what: "menu of the part",
      run: ({ part, openMenu }) => planPartMenu(part).length > 0 && openMenu(part),
    },
    { keys: "Escape", what: "clear the selection", run: () => select(null) },
  ],
};

/** While choosing a dependency, every key is about that. */
export const planLinkKeys: KeyTable<PlanPlace> = {
  place: "While choosing a dependency",
  rows: [
    { keys: "Enter", what: "add or remove this dependency", run: () => void dropLink() },
    { keys: "Escape", what: "cancel", run: () => cancelLink() },
    {
      keys: "ArrowUp",
      also: ["ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"],
      to: "ArrowDown",
      what: "go to another part",
      run({ part, walk }, { key }) {
        const { target } = usePlanLink.getState();
        const to = walk(target?.kind === "part" ? target.part : part, key);
        if (to !== null && to !== "below") aimLink({ kind: "part", part: to });
      },
    },
  ],
};

/** Answers whether the key was one of the selected part's, and has been taken. */
export function planKey(event: KeyboardEvent, keys: PlanKeys): boolean {
  const part = partOfKey(useSelection.getState().selected);
  if (part === null || event.nativeEvent.isComposing) return false;
  const isPicking = usePlanLink.getState().by === "keyboard";
  return takeKey(isPicking ? planLinkKeys : planKeys, event, { ...keys, part }) || isPicking;
}
