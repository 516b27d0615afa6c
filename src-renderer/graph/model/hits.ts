/** The rows that the filter found, and the way from one to the next. */
import { select, useSelection } from "../../state/selection-store.ts";
import { useFilter } from "./filter-store.ts";
import { foldedRowOfKey, type GraphModel, rowKeyOf, useModel } from "./graph-model.ts";

/** Indices of the rows that were found, from the top. */
export const hitRows = ({ folded }: GraphModel, commits: ReadonlySet<string>): readonly number[] =>
  folded.rows.flatMap((row, index) =>
    row.kind === "change" && commits.has(row.change.commitId) ? [index] : [],
  );

/**
 * The hit after a row, or before it; from the last one to the first and back.
 * @param from the row to step from; −1: none
 */
export function nextHit(hits: readonly number[], from: number, by: 1 | -1): number | null {
  const next = by === 1 ? hits.find((row) => row > from) : hits.findLast((row) => row < from);
  return next ?? hits.at(by === 1 ? 0 : -1) ?? null;
}

/** Selects the next hit, which brings it into sight in either view. @returns false where there is none */
export function goToHit(by: 1 | -1): boolean {
  const { model } = useModel.getState();
  const { commits } = useFilter.getState();
  if (!model || !commits) return false;
  const { selected } = useSelection.getState();
  const hit = nextHit(hitRows(model, commits), selected === null ? -1 : foldedRowOfKey(model, selected), by);
  const row = hit === null ? undefined : model.folded.rows[hit];
  if (row) select(rowKeyOf(row));
  return row !== undefined;
}
