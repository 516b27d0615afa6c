import { type CommitPool, childNodes } from "./commit-pool.ts";
import { nodeAt, rowOfNode, type Topology } from "./topology.ts";

/** Rows `oldStart…oldEnd` of one version stand where rows `newStart…newEnd` stand in the next. Ends not included. */
export interface Hunk {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

const isPool = (space: object): space is CommitPool => "edgeChild" in space;

/**
 * The rows that differ between two versions of one graph, top first: rows that went, rows that came, and rows
 * whose parents went or came.
 * @returns null when the two are not comparable: other spaces, or rows that stayed but changed places.
 */
export function rowDifference(before: Topology, after: Topology): Hunk[] | null {
  const space = after.space;
  if (before.space !== space || !isPool(space)) return null;
  const hunks: Hunk[] = [];
  const oldCount = before.order.length;
  const newCount = after.order.length;
  const moved: number[] = [];
  let oldRow = 0;
  let newRow = 0;
  while (oldRow < oldCount || newRow < newCount) {
    if (oldRow < oldCount && before.order[oldRow] === after.order[newRow]) {
      oldRow++;
      newRow++;
      continue;
    }
    const oldStart = oldRow;
    const newStart = newRow;
    while (oldRow < oldCount && rowOfNode(after, nodeAt(before, oldRow)) < 0)
      moved.push(nodeAt(before, oldRow++));
    while (newRow < newCount && rowOfNode(before, nodeAt(after, newRow)) < 0)
      moved.push(nodeAt(after, newRow++));
    if (oldRow === oldStart && newRow === newStart) return null;
    hunks.push({ oldStart, oldEnd: oldRow, newStart, newEnd: newRow });
  }
  let touched = false;
  for (const node of moved) {
    for (const child of childNodes(space, node)) {
      const was = rowOfNode(before, child);
      const is = rowOfNode(after, child);
      if (was < 0 || is < 0) continue;
      hunks.push({ oldStart: was, oldEnd: was + 1, newStart: is, newEnd: is + 1 });
      touched = true;
    }
  }
  if (!touched) return hunks;
  hunks.sort((a, b) => a.newStart - b.newStart || a.oldStart - b.oldStart || a.newEnd - b.newEnd);
  return hunks.filter((hunk, at) => {
    const above = hunks[at - 1];
    return (
      !above ||
      hunk.newStart !== above.newStart ||
      hunk.newEnd !== above.newEnd ||
      hunk.oldStart !== above.oldStart
    );
  });
}
