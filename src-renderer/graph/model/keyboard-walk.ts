/** Where a key leads in the graph, as a row; pure, for both views. */

import { parentRows } from "#shared/graph/change-graph.ts";
import type { FoldedGraph, FoldedRow } from "#shared/graph/history-folding.ts";

const page = 16;

/** The nearest row above that is a child of this one, or −1. */
export function firstChildRow(graph: FoldedGraph, row: number): number {
  for (let at = row - 1; at >= 0; at--) if (parentRows(graph, at).includes(row)) return at;
  return -1;
}

/** The row that a key leads to from `row` (−1: nothing is selected); null when the key is not one of these. */
export function walk(graph: FoldedGraph, row: number, key: string): number | null {
  const last = graph.rows.length - 1;
  if (last < 0) return null;
  const stay = Math.max(row, 0);
  const inside = (to: number): number => Math.min(last, Math.max(0, to));
  switch (key) {
    case "ArrowDown":
      return row < 0 ? 0 : inside(row + 1);
    case "ArrowUp":
      return row < 0 ? 0 : inside(row - 1);
    case "PageDown":
      return inside(stay + page);
    case "PageUp":
      return inside(stay - page);
    case "Home":
      return 0;
    case "End":
      return last;
    case "ArrowRight":
      return parentRows(graph, stay)[0] ?? stay;
    case "ArrowLeft": {
      const child = firstChildRow(graph, stay);
      return child < 0 ? stay : child;
    }
    default:
      return null;
  }
}

const searchTerms = (row: FoldedRow): readonly string[] =>
  row.kind === "fold" ? [] : [row.change.description.toLowerCase(), row.change.changeId, row.change.commitId];

/** The next row, from the present one on and around, whose description or id begins with what was typed. */
export function typeAhead(graph: FoldedGraph, row: number, typed: string): number | null {
  const wanted = typed.toLowerCase();
  const { rows } = graph;
  // One letter moves to the next match; more letters may still match the current row.
  const first = Math.max(row, 0) + (wanted.length > 1 ? 0 : 1);
  for (let step = 0; step < rows.length; step++) {
    const at = (first + step) % rows.length;
    const candidate = rows[at];
    if (candidate && searchTerms(candidate).some((word) => word.startsWith(wanted))) return at;
  }
  return null;
}
