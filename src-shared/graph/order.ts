import { nodeAt, parentRows, type Topology } from "./topology.ts";

/** True when every shown parent stands below its child. */
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
 * An order in which children stand above their parents and that departs from the present one no more than needed.
 * @returns nodes from top to bottom, or null when the present order is already right.
 * @throws RangeError when the parents form a circle, which no repository can hold.
 */
export function sortTopologically(topology: Topology): Int32Array | null {
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
