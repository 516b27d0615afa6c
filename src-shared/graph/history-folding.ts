import type { Change } from "./change.ts";
import { type ChangeGraph, namesByCommit, type Topology } from "./change-graph.ts";

/** A row of a folded graph. The object stays the same as long as what it says stays the same. */
export type FoldedRow =
  | {
      readonly kind: "change";
      readonly change: Change /** The fold that this row belongs to while it is open. */;
      readonly fold: string | null;
    }
  | {
      readonly kind: "fold";
      /** Commit id of the oldest change in it, so that it stays the same fold while history grows. */
      readonly fold: string;
      readonly count: number;
      readonly newest: Change;
      readonly oldest: Change;
    };

/** The graph with quiet stretches of history in one row each; lay it out like any other. */
export interface FoldedGraph extends Topology {
  readonly rows: readonly FoldedRow[];
  /** Row of the folded graph → its first row in the graph. */
  readonly graphRows: Int32Array;
  /** Row of the graph → row of the folded graph. */
  readonly foldedRows: Int32Array;
}

interface FoldOptions {
  /** Folds that the user opened. */
  readonly open: ReadonlySet<string>;
  /** Shorter stretches stay as they are. */
  readonly atLeast?: number;
  /** Changes that must stay visible for a reason of the caller's, such as the selected one. */
  readonly keep?: (change: Change) => boolean;
}

/** Rows that are never folded, because the user or an agent may need them. */
function isNotable(graph: ChangeGraph, change: Change): boolean {
  return (
    !change.immutable ||
    change.conflict ||
    change.divergent ||
    change.metadata.kind !== undefined ||
    change.metadata.status !== undefined ||
    namesByCommit(graph.refs).has(change.commitId)
  );
}

/**
 * Folds each stretch of neighbouring immutable rows without anything notable (no bookmark, workspace or task,
 * not a parent of live work) into one row "n changes". A stretch is a piece of the order, so a fold may
 * contain several lines of history; its parents are those of its changes outside it.
 */
export function foldHistory(graph: ChangeGraph, options: FoldOptions): FoldedGraph {
  const count = graph.order.length;
  const visible = visibleRows(graph, options);
  const atLeast = options.atLeast ?? 3;
  const rows: FoldedRow[] = [];
  const graphRows = new Int32Array(count + 1);
  const foldedRows = new Int32Array(count);
  for (let row = 0; row < count; ) {
    let end = row;
    while (end < count && visible[end] === 0) end++;
    const newest = graph.changes[row];
    const oldest = graph.changes[end - 1];
    if (newest && oldest && end - row >= atLeast && !options.open.has(oldest.commitId)) {
      foldedRows.fill(rows.length, row, end);
      graphRows[rows.length] = row;
      rows.push(foldRow(newest, oldest, end - row));
      row = end;
      continue;
    }
    const fold = oldest && end - row >= atLeast ? oldest.commitId : null;
    for (const stop = Math.max(end, row + 1); row < stop; row++) {
      const change = graph.changes[row];
      if (!change) continue;
      foldedRows[row] = rows.length;
      graphRows[rows.length] = row;
      rows.push(changeRow(change, fold));
    }
  }
  graphRows[rows.length] = count;
  return {
    rows,
    graphRows: graphRows.slice(0, rows.length + 1),
    foldedRows,
    ...contract(graph, rows.length, foldedRows),
  };
}

function visibleRows(graph: ChangeGraph, options: FoldOptions): Uint8Array {
  const { order, rowOf, parentStart, parentCount, parentList } = graph;
  const visible = new Uint8Array(order.length);
  for (let row = 0; row < order.length; row++) {
    const change = graph.changes[row];
    if (!change) continue;
    if (isNotable(graph, change) || options.keep?.(change)) visible[row] = 1;
    if (change.immutable) continue;
    const node = order[row] ?? 0;
    const start = parentStart[node] ?? 0;
    const end = start + (parentCount[node] ?? 0);
    for (let at = start; at < end; at++) {
      const parent = rowOf[parentList[at] ?? 0] ?? -1;
      if (parent >= 0) visible[parent] = 1;
    }
  }
  return visible;
}

/** The shape after each row of the graph has become its folded row. Parents that are not shown stay not shown. */
function contract(graph: ChangeGraph, count: number, foldedRows: Int32Array): Topology {
  const { order, rowOf } = graph;
  const parentStart = new Int32Array(count);
  const parentCount = new Int32Array(count);
  const list: number[] = [];
  const seenBy = new Int32Array(count + 1).fill(-1);
  let current = -1;
  for (let row = 0; row < order.length; row++) {
    const folded = foldedRows[row] ?? 0;
    if (folded !== current) {
      current = folded;
      parentStart[current] = list.length;
    }
    const node = order[row] ?? 0;
    const start = graph.parentStart[node] ?? 0;
    const end = start + (graph.parentCount[node] ?? 0);
    for (let at = start; at < end; at++) {
      const parentRow = rowOf[graph.parentList[at] ?? 0] ?? -1;
      // The number after the last row means a parent that is not shown.
      const parent = parentRow < 0 ? count : (foldedRows[parentRow] ?? 0);
      if (parent === current || seenBy[parent] === current) continue;
      seenBy[parent] = current;
      list.push(parent);
      parentCount[current] = (parentCount[current] ?? 0) + 1;
    }
  }
  const identity = Int32Array.from({ length: count }, (_, row) => row);
  return {
    space: {},
    order: identity,
    rowOf: identity,
    parentStart,
    parentCount,
    parentList: Int32Array.from(list),
  };
}

const plainRows = new WeakMap<Change, FoldedRow>();
const openRows = new WeakMap<Change, FoldedRow>();
const foldRows = new WeakMap<Change, FoldedRow>();

function changeRow(change: Change, fold: string | null): FoldedRow {
  const rows = fold === null ? plainRows : openRows;
  const known = rows.get(change);
  if (known && known.fold === fold) return known;
  const row: FoldedRow = { kind: "change", change, fold };
  rows.set(change, row);
  return row;
}

function foldRow(newest: Change, oldest: Change, count: number): FoldedRow {
  const known = foldRows.get(oldest);
  if (known?.kind === "fold" && known.newest === newest && known.count === count) return known;
  const row: FoldedRow = { kind: "fold", fold: oldest.commitId, count, newest, oldest };
  foldRows.set(oldest, row);
  return row;
}
