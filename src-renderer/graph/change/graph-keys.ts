/** The keys of the graph, the same in both views. */
import type { Change } from "#shared/graph/change.ts";
import type { FoldedRow } from "#shared/graph/history-folding.ts";
import type { KeyPress, KeyTable } from "../../kit/key-table.ts";
import { inspect, select } from "../../state/selection-store.ts";
import { abandon, copy, editDescription } from "../model/change-actions.ts";
import { rowKeyOf, toggleFold } from "../model/graph-model.ts";
import { drop } from "../rebase/rebase-store.ts";

/** What the selected row is, and where its keys lead. */
export interface GraphPlace {
  readonly row: FoldedRow | null;
  readonly change: Change | null;
  readonly isSelected: boolean;
  /** A rebase waits for its target. */
  readonly isPicking: boolean;
  /** A name is being typed: the space bar is a part of it. */
  readonly isNaming: boolean;
  readonly walk: (press: KeyPress) => boolean;
  readonly openMenu: (row: FoldedRow) => void;
}

const walk = (here: GraphPlace, press: KeyPress): boolean => here.walk(press);

export const graphKeys: KeyTable<GraphPlace> = {
  place: "In the graph",
  rows: [
    { keys: "ArrowUp", what: "the previous row", run: walk },
    { keys: "ArrowDown", what: "the next row", run: walk },
    { keys: "ArrowLeft", what: "to the first child", run: walk },
    { keys: "ArrowRight", what: "to the first parent", run: walk },
    { keys: "PageUp", what: "page up", run: walk },
    { keys: "PageDown", what: "page down", run: walk },
    { keys: "Home", what: "the newest change", run: walk },
    { keys: "End", what: "the oldest change", run: walk },
    {
      keys: "Enter",
      what: "choose this row as the rebase destination",
      run: ({ isPicking }) => (isPicking ? drop() : false),
    },
    {
      keys: "Enter",
      also: ["space"],
      what: "show in the inspector, or expand history",
      run({ row, isNaming }) {
        if (row === null || isNaming) return false;
        if (row.kind === "fold") toggleFold(row.fold);
        else inspect(rowKeyOf(row));
        return true;
      },
    },
    {
      keys: "shift+F10",
      also: ["ContextMenu"],
      what: "menu of the change",
      run: ({ row, openMenu }) => (row === null ? false : openMenu(row)),
    },
    {
      keys: "F2",
      what: "edit the description",
      run: ({ change }) => (change === null ? false : editDescription(change)),
    },
    {
      keys: "Delete",
      what: "abandon the change",
      run: ({ change }) => (change === null ? false : void abandon(change)),
    },
    {
      keys: "mod+c",
      what: "copy the change ID",
      run({ change }) {
        if (change === null || String(getSelection()) !== "") return false;
        void copy("change ID", change.changeId);
        return true;
      },
    },
    {
      keys: "Escape",
      what: "clear the selection, or cancel a drag or rebase",
      run({ isSelected, isPicking }) {
        if (!isSelected || isPicking) return false;
        select(null);
        return true;
      },
    },
  ],
};
