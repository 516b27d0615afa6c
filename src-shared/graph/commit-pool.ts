import type { Change } from "./change.ts";

/**
 * Facts about commits that can never change: a commit's number, its parents, its change id.
 * All versions of a graph share one pool, which only ever grows; a version says which of them it shows, and in
 * which order. That is what makes a delta cost what the delta weighs, and not what the graph weighs.
 */
export interface CommitPool {
  readonly numbers: Map<string, number>;
  /** Node → the commit as it was first seen; undefined for one that is only known as a parent. */
  readonly commits: (Change | undefined)[];
  count: number;
  edges: number;
  parentStart: Int32Array;
  parentCount: Int32Array;
  parentList: Int32Array;
  /** Edge → the child at its upper end. */
  edgeChild: Int32Array;
  /** Edge → the next edge to the same parent, −1 at the end. */
  nextEdge: Int32Array;
  /** Node → the latest edge that leads to it, −1 for none. */
  firstEdge: Int32Array;
  /** Change id → nodes; filled up to `indexedChanges` when first asked. */
  readonly nodesByChange: Map<string, number[]>;
  indexedChanges: number;
}

/** An empty pool with room for about `commits` commits. */
export function createPool(commits: number): CommitPool {
  const room = Math.max(64, commits + (commits >> 2));
  return {
    numbers: new Map(),
    commits: [],
    count: 0,
    edges: 0,
    parentStart: new Int32Array(room),
    parentCount: new Int32Array(room),
    parentList: new Int32Array(room),
    edgeChild: new Int32Array(room),
    nextEdge: new Int32Array(room),
    firstEdge: new Int32Array(room).fill(-1),
    nodesByChange: new Map(),
    indexedChanges: 0,
  };
}

function grown(array: Int32Array, fill = 0): Int32Array {
  const larger = new Int32Array(array.length * 2);
  if (fill !== 0) larger.fill(fill, array.length);
  larger.set(array);
  return larger;
}

/** The commit's number, a new one for a commit id that was never seen. */
function numberOf(pool: CommitPool, commitId: string): number {
  const known = pool.numbers.get(commitId);
  if (known !== undefined) return known;
  const node = pool.count++;
  if (node >= pool.parentStart.length) {
    pool.parentStart = grown(pool.parentStart);
    pool.parentCount = grown(pool.parentCount);
    pool.firstEdge = grown(pool.firstEdge, -1);
  }
  pool.numbers.set(commitId, node);
  pool.commits.push(undefined);
  return node;
}

/** Learns a commit and its parents; a commit that is known stays as it is. Returns its number. */
export function learn(pool: CommitPool, change: Change): number {
  const node = numberOf(pool, change.commitId);
  if (pool.commits[node] !== undefined) return node;
  pool.commits[node] = change;
  if (pool.indexedChanges > node) indexChange(pool, node);
  pool.parentStart[node] = pool.edges;
  pool.parentCount[node] = change.parents.length;
  for (const parentId of change.parents) {
    const parent = numberOf(pool, parentId);
    const edge = pool.edges++;
    if (edge >= pool.parentList.length) {
      pool.parentList = grown(pool.parentList);
      pool.edgeChild = grown(pool.edgeChild);
      pool.nextEdge = grown(pool.nextEdge);
    }
    pool.parentList[edge] = parent;
    pool.edgeChild[edge] = node;
    pool.nextEdge[edge] = pool.firstEdge[parent] ?? -1;
    pool.firstEdge[parent] = edge;
  }
  return node;
}

function indexChange(pool: CommitPool, node: number): void {
  const changeId = pool.commits[node]?.changeId;
  if (changeId === undefined) return;
  const nodes = pool.nodesByChange.get(changeId);
  if (nodes) nodes.push(node);
  else pool.nodesByChange.set(changeId, [node]);
}

/** Every commit of a change that the pool has seen, shown or not. */
export function nodesOfChange(pool: CommitPool, changeId: string): readonly number[] {
  for (; pool.indexedChanges < pool.count; pool.indexedChanges++) indexChange(pool, pool.indexedChanges);
  return pool.nodesByChange.get(changeId) ?? [];
}

/** Every child of a commit that the pool has seen, shown or not, the latest first. */
export function* childNodes(pool: CommitPool, node: number): Generator<number> {
  for (let edge = pool.firstEdge[node] ?? -1; edge >= 0; edge = pool.nextEdge[edge] ?? -1) {
    yield pool.edgeChild[edge] ?? -1;
  }
}
