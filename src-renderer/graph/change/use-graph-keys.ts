/** One tab stop for the graph: the selection moves inside it, by the keys of its table or by the first letters of a name. */
import type { KeyboardEvent } from "react";
import { useRef } from "react";
import type { FoldedRow } from "#shared/graph/history-folding.ts";
import { takeKey } from "../../kit/key-table.ts";
import { select, useSelection } from "../../state/selection-store.ts";
import { foldedRowOfKey, rowKeyOf, useModel } from "../model/graph-model.ts";
import { typeAhead, walk } from "../model/keyboard-walk.ts";
import { aim, useRebase } from "../rebase/rebase-store.ts";
import { graphKeys } from "./graph-keys.ts";

const typeAheadMs = 900;

export interface GraphKeys {
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/**
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
        const to = walk(model.folded, at, key);
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
