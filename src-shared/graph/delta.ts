import type { Change, GraphDelta } from "./change.ts";
import {
  arrange,
  assemble,
  buildGraph,
  type ChangeGraph,
  changeAt,
  rowOfCommit,
  rowOfNode,
  rowsOf,
} from "./change-graph.ts";
import { childNodes, learn } from "./commit-pool.ts";

/** Beyond this many added commits the whole order is recomputed, at the same cost. */
const manyAdded = 4_000;

/** Where an added commit goes: above old row `row`, in that row's list of newcomers. */
interface Place {
  readonly row: number;
  readonly newcomers: number[];
}

/**
 * The graph after one or more operations. A rewritten change stays in its row as long as its parents are
 * below; a new one is put right above its highest parent (at the top if no parent is shown); unchanged rows
 * keep their order and their identity.
 * @param delta `added` children first. A commit that is already shown is replaced in place (its flags may
 *   have changed); a removed commit that is not shown is ignored.
 * @returns a new graph; the given one is not changed.
 */
export function applyDelta(graph: ChangeGraph, delta: GraphDelta): ChangeGraph {
  const pool = graph.space;
  const replaced = new Map<number, Change>();
  const added = new Map<number, Change>();
  for (const change of delta.added) {
    const node = learn(pool, change);
    if (rowOfNode(graph, node) < 0) added.set(node, change);
    if (pool.commits[node] !== change || graph.overrides.has(node)) replaced.set(node, change);
  }
  const removed = new Map<number, string>();
  const back = new Set(delta.added.map((change) => change.commitId));
  for (const commitId of delta.removed) {
    const row = rowOfCommit(graph, commitId);
    if (row >= 0 && !back.has(commitId)) removed.set(row, changeAt(graph, row)?.changeId ?? "");
  }
  const { operation, refs } = delta;
  const overrides = replaced.size === 0 ? graph.overrides : new Map([...graph.overrides, ...replaced]);
  if (added.size === 0 && removed.size === 0) {
    return assemble({ space: pool, operation, refs, order: graph.order, rowOf: graph.rowOf, overrides });
  }

  const order = splice(graph, added, removed, place(graph, added, removed));
  const parts = { space: pool, operation, refs, order, overrides };
  if (added.size > manyAdded) return arrange({ ...parts, rowOf: rowsOf(pool, order) });
  const rowOf = new Int32Array(pool.count).fill(-1, graph.rowOf.length);
  rowOf.set(graph.rowOf);
  for (const row of removed.keys()) rowOf[graph.order[row] ?? 0] = -1;
  for (let row = firstDifference(graph.order, order); row < order.length; row++) rowOf[order[row] ?? 0] = row;
  const next = assemble({ ...parts, rowOf });
  // The pool remembers every commit that was ever shown: start afresh before that weighs more than the graph.
  if (pool.count > order.length * 2 + 50_000) return buildGraph(next);
  return areInOrder(next, added) ? next : arrange({ ...parts, rowOf });
}

/** Finds a place for each added commit, parents before children. Returns old row → newcomers above it, top first. */
function place(
  graph: ChangeGraph,
  added: ReadonlyMap<number, Change>,
  removed: ReadonlyMap<number, string>,
): ReadonlyMap<number, number[]> {
  const pool = graph.space;
  const rowOfGone = new Map<string, number>();
  for (const [row, changeId] of removed) rowOfGone.set(changeId, row);
  const lists = new Map<number, number[]>();
  const places = new Map<number, Place>();
  const listOf = (row: number): number[] => {
    const list = lists.get(row) ?? [];
    lists.set(row, list);
    return list;
  };
  for (const [node, change] of [...added].reverse()) {
    // The highest parent: the smallest old row, and among newcomers of one row the one nearest to the top.
    let row = 0;
    let index = 0;
    let hasParent = false;
    const start = pool.parentStart[node] ?? 0;
    const end = start + (pool.parentCount[node] ?? 0);
    for (let at = start; at < end; at++) {
      const parent = pool.parentList[at] ?? 0;
      const newcomer = places.get(parent);
      const parentRow = newcomer ? newcomer.row : rowOfNode(graph, parent);
      if (parentRow < 0 || (!newcomer && removed.has(parentRow))) continue;
      const parentIndex = newcomer ? newcomer.newcomers.indexOf(parent) : listOf(parentRow).length;
      if (!hasParent || parentRow < row || (parentRow === row && parentIndex < index)) {
        row = parentRow;
        index = parentIndex;
      }
      hasParent = true;
    }
    const before = rowOfGone.get(change.changeId);
    if (before !== undefined && (!hasParent || before < row)) {
      row = before;
      index = listOf(before).length;
    }
    const newcomers = listOf(row);
    newcomers.splice(index, 0, node);
    places.set(node, { row, newcomers });
  }
  return lists;
}

/** The order after the delta, with newcomers in the places found. */
function splice(
  graph: ChangeGraph,
  added: ReadonlyMap<number, Change>,
  removed: ReadonlyMap<number, string>,
  places: ReadonlyMap<number, readonly number[]>,
): Int32Array {
  const order = new Int32Array(graph.order.length + added.size - removed.size);
  const stops = [...new Set([...removed.keys(), ...places.keys(), graph.order.length])].sort((a, b) => a - b);
  let from = 0;
  let to = 0;
  for (const stop of stops) {
    order.set(graph.order.subarray(from, stop), to);
    to += stop - from;
    for (const node of places.get(stop) ?? []) order[to++] = node;
    from = removed.has(stop) ? stop + 1 : stop;
  }
  return order;
}

/** True if every added commit is below all of its children. */
function areInOrder(graph: ChangeGraph, added: ReadonlyMap<number, Change>): boolean {
  for (const node of added.keys()) {
    const row = rowOfNode(graph, node);
    for (const child of childNodes(graph.space, node)) if (rowOfNode(graph, child) >= row) return false;
  }
  return true;
}

function firstDifference(a: Int32Array, b: Int32Array): number {
  let row = 0;
  while (row < a.length && a[row] === b[row]) row++;
  return row;
}
