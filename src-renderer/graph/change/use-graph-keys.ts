/** The keys of the graph, the same in both views: one tab stop, the selection moves inside it. */
import type { KeyboardEvent } from "react";
import { useRef } from "react";
import type { FoldedRow } from "#shared/graph/history-folding.ts";
import { matches } from "../../kit/keyboard.ts";
import { inspect, select, useSelection } from "../../state/selection-store.ts";
import { abandon, copy, editDescription } from "../model/change-actions.ts";
import { foldedRowOfKey, rowKeyOf, toggleFold, useModel } from "../model/graph-model.ts";
import { typeAhead, walk } from "../model/keyboard-walk.ts";
import { aim, drop, useRebase } from "../rebase/rebase-store.ts";

const typeAheadMs = 900;

export interface GraphKeys {
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** @param openMenu shows the menu of the row at its place. */
export function useGraphKeys(openMenu: (row: FoldedRow) => void): GraphKeys {
  const typed = useRef({ text: "", at: 0 });

  const onKeyDown = (event: KeyboardEvent): void => {
    const { model } = useModel.getState();
    if (!model || event.nativeEvent.isComposing) return;
    const { selected } = useSelection.getState();
    const picking = useRebase.getState().by === "keyboard";
    const at = selected === null ? -1 : foldedRowOfKey(model, selected);
    const row = model.folded.rows[at];
    const change = row?.kind === "change" ? row.change : null;
    const go = (to: number): void => {
      const target = model.folded.rows[to];
      if (!target) return;
      select(rowKeyOf(target));
      if (picking) aim(target.kind === "change" ? rowKeyOf(target) : null);
    };

    const handled = ((): boolean => {
      if (event.ctrlKey || event.metaKey || event.altKey) {
        if (change && matches(event, "mod+c") && String(getSelection()) === "") {
          void copy("change id", change.changeId);
          return true;
        }
        return false;
      }
      if ((event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) && row) {
        openMenu(row);
        return true;
      }
      if (event.key === "Enter" && picking) {
        drop();
        return true;
      }
      if ((event.key === "Enter" || event.key === " ") && row && typed.current.text === "") {
        if (row.kind === "fold") toggleFold(row.fold);
        else inspect(rowKeyOf(row));
        return true;
      }
      if (event.key === "F2" && change) {
        editDescription(change);
        return true;
      }
      if (event.key === "Delete" && change) {
        void abandon(change);
        return true;
      }
      if (event.key === "Escape" && selected !== null && !picking) {
        select(null);
        return true;
      }
      const to = walk(model.folded, at, event.key);
      if (to !== null) {
        typed.current.text = "";
        go(to);
        return true;
      }
      if (event.key.length !== 1 || event.key === "/" || event.key === "?") return false;
      const now = event.timeStamp;
      const goesOn = now - typed.current.at < typeAheadMs;
      const text = (goesOn ? typed.current.text : "") + event.key;
      typed.current = { text, at: now };
      setTimeout(() => {
        if (typed.current.at === now) typed.current.text = "";
      }, typeAheadMs);
      const found = typeAhead(model.folded, at, text);
      if (found !== null) go(found);
      return true;
    })();
    if (!handled) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { onKeyDown };
}
