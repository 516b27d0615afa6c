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
