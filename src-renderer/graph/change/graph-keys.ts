/** The keys of the graph, the same in both views. */

import { type KeyboardEvent, useRef } from "react";
import type { Change } from "#shared/graph/change.ts";
import type { FoldedRow } from "#shared/graph/history-folding.ts";
import { type KeyPress, type KeyTable, takeKey } from "../../kit/key-table.ts";
import { inspect, select, useSelection } from "../../state/selection-store.ts";
import { abandon, copy, editDescription } from "../model/change-actions.ts";
import { foldedRowOfKey, rowKeyOf, toggleFold, useModel } from "../model/graph-model.ts";
import { walk as graphKeysWalk, typeAhead } from "../model/keyboard-walk.ts";
import { aim, drop, useRebase } from "../rebase/rebase-store.ts";

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

const typeAheadMs = 900;

interface GraphKeys {
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/**
 * One tab stop for the graph: the selection moves inside it, by the keys of its table or by the first letters of a name.
 *
 * @param openMenu shows the menu of the row at its place
 * @param takeMore keys of one view alone, asked while no name is being typed; true when it took the key
 */
export function useGraphKeys(
  openMenu: (row: FoldedRow) => void,
  takeMore: (event: KeyboardEvent) => boolean = () => false,
): GraphKeys {
  const typed = useRef({ text: "", at: 0 });

  const onKeyDown = (event: KeyboardEvent): void => {
    const { model } = useModel.getState();
    if (!model || event.nativeEvent.isComposing) return;
    const { selected } = useSelection.getState();
    const isPicking = useRebase.getState().by === "keyboard";
    const at = selected === null ? -1 : foldedRowOfKey(model, selected);
    const row = model.folded.rows[at] ?? null;
    const go = (to: number): void => {
      const target = model.folded.rows[to];
      if (!target) return;
      select(rowKeyOf(target));
      if (isPicking) aim(target.kind === "change" ? rowKeyOf(target) : null);
    };
    const isTaken = takeKey(graphKeys, event, {
      row,
      change: row?.kind === "change" ? row.change : null,
      isSelected: selected !== null,
      isPicking,
      isNaming: typed.current.text !== "",
      openMenu,
      walk({ key }) {
        const to = graphKeysWalk(model.folded, at, key);
        if (to === null) return false;
        typed.current.text = "";
        go(to);
        return true;
      },
    });
    if (isTaken || (typed.current.text === "" && takeMore(event))) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.length !== 1 || event.key === "/" || event.key === "?") return;
    event.preventDefault();
    event.stopPropagation();
    const now = event.timeStamp;
    const goesOn = now - typed.current.at < typeAheadMs;
    const text = (goesOn ? typed.current.text : "") + event.key;
    typed.current = { text, at: now };
    setTimeout(() => {
      if (typed.current.at === now) typed.current.text = "";
    }, typeAheadMs);
    const found = typeAhead(model.folded, at, text);
    if (found !== null) go(found);
  };
  return { onKeyDown };
}
