import type { Change, GraphSnapshot, Refs } from "./change.ts";
import { type CommitPool, createPool, learn, nodesOfChange } from "./commit-pool.ts";
import { sortTopologically } from "./order.ts";
import { parentRows, rowOfNode, type Topology } from "./topology.ts";

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

/** The names that stand on one commit. */
export interface Names {
  readonly bookmarks: readonly string[];
  readonly workspaces: readonly string[];
}

/**
 * Builds the graph of a snapshot. (HOX-1.1, HOX-1.2)
 * @param snapshot rows in any order; jj's log order is kept, an order with a parent above its child is mended.
 *   A commit that is listed twice is shown once, with the later row's content.
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
