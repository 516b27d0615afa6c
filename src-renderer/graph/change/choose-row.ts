import type { FoldedRow } from "#shared/graph/history-folding.ts";
import { lookAt, select } from "../../state/selection-store.ts";
import { rowKeyOf, toggleFold } from "../model/graph-model.ts";
import { aim, drop, useRebase } from "../rebase/rebase-store.ts";

/** A click on a row, the same in both views: the target of a rebase that the keys began, and otherwise what is selected. */
export function chooseRow(row: FoldedRow): void {
  const key = rowKeyOf(row);
  if (useRebase.getState().by === "keyboard") {
    aim(row.kind === "change" ? key : null);
    drop();
    return;
  }
  if (row.kind === "fold") {
    select(key);
    toggleFold(row.fold);
  } else lookAt(key);
}
