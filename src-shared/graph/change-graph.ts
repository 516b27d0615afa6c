import type { Change, GraphSnapshot, Refs } from "./change.ts";
import { type CommitPool, createPool, learn, nodesOfChange } from "./commit-pool.ts";

/**
 * One version of the change graph: rows in order (children above parents) and indexes over them.
 * A value: nothing that can be read from it ever changes. Versions that stem from one another share a pool.
 */
export interface ChangeGraph extends Topology {
  readonly space: CommitPool;
  readonly operation: string;
  /** Row → change. Made when first read; `changeAt` answers for single rows without it. */
  readonly changes: readonly Change[];
  readonly refs: Refs;
  /** Node → change, where flags such as `immutable` have changed since the pool first saw the commit. */
  readonly overrides: ReadonlyMap<number, Change>;
}

/**
 * The bare shape of a graph, in numbers: what lane layout, folding and keyboard need, and nothing else.
 * A node number names one commit inside one `space`; a row is a place in the order, 0 at the top.
 */
export interface Topology {
  /** Two topologies of the same space mean the same commit, with the same parents, by the same number. */
  readonly space: object;
  /** Row → node. Children are above their parents. */
  readonly order: Int32Array;
  /** Node → row, −1 for a node that is not shown. May be shorter than the space: what is beyond is not shown. */
  readonly rowOf: Int32Array;
  /** Node → where its parents begin in `parentList`. */
  readonly parentStart: Int32Array;
  /** Node → how many parents it has, shown or not. */
  readonly parentCount: Int32Array;
  /** Parents as nodes, first parent first. */
  readonly parentList: Int32Array;
}

/** The node's row, or −1 when it is not shown. */
export const rowOfNode = (topology: Topology, node: number): number => topology.rowOf[node] ?? -1;

/** The node at a row, or −1 beyond either end. */
export const nodeAt = (topology: Topology, row: number): number => topology.order[row] ?? -1;

/** Rows of the parents that are shown, first parent first. */
export function parentRows(topology: Topology, row: number): number[] {
  const node = nodeAt(topology, row);
  const start = topology.parentStart[node] ?? 0;
  const end = start + (topology.parentCount[node] ?? 0);
  const rows: number[] = [];
  for (let at = start; at < end; at++) {
    const parent = rowOfNode(topology, topology.parentList[at] ?? -1);
    if (parent >= 0) rows.push(parent);
  }
  return rows;
}

/** How many parents of the row's change are not shown. */
export function hiddenParents(topology: Topology, row: number): number {
  return (topology.parentCount[nodeAt(topology, row)] ?? 0) - parentRows(topology, row).length;
}

/** The names of one commit. */
export interface Names {
  readonly bookmarks: readonly string[];
  readonly workspaces: readonly string[];
}

/**
 * Builds the graph of a snapshot. (HOX-1.1, HOX-1.2)
 * @param snapshot rows in any order; jj's log order is kept, and corrected if a parent is above its child. A
 *   commit that is listed twice is shown once, with the later row's content.
 */
export function buildGraph(snapshot: GraphSnapshot): ChangeGraph {
  const pool = createPool(snapshot.changes.length);
  const order = new Int32Array(snapshot.changes.length);
  const overrides = new Map<number, Change>();
  const placed: (true | undefined)[] = [];
  let rows = 0;
  for (const change of snapshot.changes) {
    const node = learn(pool, change);
    if (pool.commits[node] !== change) overrides.set(node, change);
    if (placed[node]) continue;
    placed[node] = true;
    order[rows++] = node;
  }
  return arrange({
    space: pool,
    operation: snapshot.operation,
    refs: snapshot.refs,
    order: order.slice(0, rows),
    rowOf: rowsOf(pool, order.subarray(0, rows)),
    overrides,
  });
}

/** What a version of a graph is made of; the rest is read from its pool. */
interface GraphParts {
  readonly space: CommitPool;
  readonly operation: string;
  readonly refs: Refs;
  readonly order: Int32Array;
  readonly rowOf: Int32Array;
  readonly overrides: ReadonlyMap<number, Change>;
}

/** Row by node, for every node of the pool. */
export function rowsOf(pool: CommitPool, order: Int32Array): Int32Array {
  const rowOf = new Int32Array(pool.count).fill(-1);
  for (let row = 0; row < order.length; row++) rowOf[order[row] ?? 0] = row;
  return rowOf;
}

/** Makes a graph of parts whose order is right. For `buildGraph` and `applyDelta`. */
export function assemble(parts: GraphParts): ChangeGraph {
  const { space, order, overrides } = parts;
  let changes: readonly Change[] | undefined;
  return {
    ...parts,
    parentStart: space.parentStart,
    parentCount: space.parentCount,
    parentList: space.parentList,
    get changes() {
      changes ??= Array.from(order, (node) => overrides.get(node) ?? space.commits[node]).filter(
        (c) => c !== undefined,
      );
      return changes;
    },
  };
}

/** Makes a graph of parts whose order may have a parent above its child. */
export function arrange(parts: GraphParts): ChangeGraph {
  const graph = assemble(parts);
  const order = sortTopologically(graph);
  return order === null ? graph : assemble({ ...parts, order, rowOf: rowsOf(parts.space, order) });
}

/** True if every shown parent is below its child. */
function isTopological(topology: Topology): boolean {
  const { order, rowOf, parentStart, parentCount, parentList } = topology;
  for (let row = 0; row < order.length; row++) {
    const node = order[row] ?? 0;
    const start = parentStart[node] ?? 0;
    const end = start + (parentCount[node] ?? 0);
    for (let at = start; at < end; at++) {
      const parent = rowOf[parentList[at] ?? 0] ?? -1;
      if (parent >= 0 && parent <= row) return false;
    }
  }
  return true;
}

/**
 * A topological order, children above their parents, with the fewest changes to the current one.
 * @returns nodes from top to bottom, or null if the current order is right.
 * @throws RangeError if the parents form a cycle, which no repository can have.
 */
function sortTopologically(topology: Topology): Int32Array | null {
  if (isTopological(topology)) return null;
  const count = topology.order.length;
  const childCount = new Int32Array(count);
  for (let row = 0; row < count; row++) {
    for (const parent of parentRows(topology, row)) childCount[parent] = (childCount[parent] ?? 0) + 1;
  }
  // The highest row whose children have all been placed comes next: a heap of rows, smallest on top.
  const ready: number[] = [];
  for (let row = 0; row < count; row++) if (childCount[row] === 0) pushRow(ready, row);
  const sorted = new Int32Array(count);
  let placed = 0;
  for (let row = popRow(ready); row !== undefined; row = popRow(ready)) {
    sorted[placed++] = nodeAt(topology, row);
    for (const parent of parentRows(topology, row)) {
      const left = (childCount[parent] ?? 0) - 1;
      childCount[parent] = left;
      if (left === 0) pushRow(ready, parent);
    }
  }
  if (placed < count) throw new RangeError("The graph has a circle: a change is among its own ancestors.");
  return sorted;
}

function pushRow(heap: number[], row: number): void {
  let at = heap.length;
  heap.push(row);
  while (at > 0) {
    const above = (at - 1) >> 1;
    const other = heap[above] ?? 0;
    if (other <= row) break;
    heap[at] = other;
    at = above;
  }
  heap[at] = row;
}

function popRow(heap: number[]): number | undefined {
  const top = heap[0];
  const last = heap.pop();
  if (top === undefined || last === undefined || heap.length === 0) return top;
  let at = 0;
  for (;;) {
    let below = at * 2 + 1;
    if (below >= heap.length) break;
    if (below + 1 < heap.length && (heap[below + 1] ?? 0) < (heap[below] ?? 0)) below++;
    const other = heap[below] ?? 0;
    if (other >= last) break;
    heap[at] = other;
    at = below;
  }
  heap[at] = last;
  return top;
}

/** The change at a row, undefined beyond either end. */
export function changeAt(graph: ChangeGraph, row: number): Change | undefined {
  const node = graph.order[row];
  return node === undefined ? undefined : (graph.overrides.get(node) ?? graph.space.commits[node]);
}

/** The row of a commit, or −1. */
export function rowOfCommit(graph: ChangeGraph, commitId: string): number {
  const node = graph.space.numbers.get(commitId);
  return node === undefined ? -1 : rowOfNode(graph, node);
}

/** The change that a commit id names, if the graph shows it. */
export function changeOfCommit(graph: ChangeGraph, commitId: string): Change | undefined {
  return changeAt(graph, rowOfCommit(graph, commitId));
}

/** Rows of a change id, top first: several when the change is divergent, none when it is not shown. */
export function rowsOfChange(graph: ChangeGraph, changeId: string): number[] {
  return nodesOfChange(graph.space, changeId)
    .map((node) => rowOfNode(graph, node))
    .filter((row) => row >= 0)
    .sort((a, b) => a - b);
}

/** Rows of all proper ancestors, nearest rows first. */
function* ancestorRows(graph: ChangeGraph, row: number): Generator<number> {
  const wanted = new Set(parentRows(graph, row));
  for (let at = row + 1; at < graph.order.length && wanted.size > 0; at++) {
    if (!wanted.delete(at)) continue;
    yield at;
    for (const parent of parentRows(graph, at)) wanted.add(parent);
  }
}

/** True when the change at `ancestor` is at `row` or below it. */
export function isAncestor(graph: ChangeGraph, ancestor: number, row: number): boolean {
  if (ancestor === row) return true;
  for (const at of ancestorRows(graph, row)) {
    if (at === ancestor) return true;
    if (at > ancestor) return false;
  }
  return false;
}

const namesByRefs = new WeakMap<Refs, ReadonlyMap<string, Names>>();

/** Commit id → the bookmarks and workspaces on it; computed once for each set of refs. */
export function namesByCommit(refs: Refs): ReadonlyMap<string, Names> {
  const known = namesByRefs.get(refs);
  if (known) return known;
  const names = new Map<string, { bookmarks: string[]; workspaces: string[] }>();
  const at = (commitId: string) => {
    const found = names.get(commitId) ?? { bookmarks: [], workspaces: [] };
    names.set(commitId, found);
    return found;
  };
  for (const [bookmark, commitIds] of Object.entries(refs.bookmarks)) {
    for (const commitId of commitIds) at(commitId).bookmarks.push(bookmark);
  }
  for (const [workspace, commitId] of Object.entries(refs.workspaces))
    at(commitId).workspaces.push(workspace);
  namesByRefs.set(refs, names);
  return names;
}
