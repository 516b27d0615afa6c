/** What is written beside the marks of a map that is far away: words of one size, as long as rows leave them room. */
import { type CanvasNode, laneGap, nodeHeight, nodeWidth, rowGap } from "#shared/graph/canvas-layout.ts";
import { subjectOf } from "../../state/graph-store.ts";

/** px on screen */
export const labelSize = 12;
const minRowPitch = 15;
const maxRadius = 5;
const minRadius = 1.5;
const gap = 5;
/** An average letter; to the painter and to the pointer a word is as long as that. */
const letter = labelSize * 0.55;

/** Whether each row has room for its words. */
export const areRowsRead = (zoom: number): boolean => (nodeHeight + rowGap) * zoom >= minRowPitch;

/** px on screen of the mark of a change: smaller where rows come closer than marks are large. */
export const markRadius = (zoom: number): number =>
  Math.max(minRadius, Math.min(maxRadius, (nodeHeight + rowGap) * zoom * 0.32));

const labelOf = ({ row }: CanvasNode): string =>
  row.kind === "fold" ? `${row.count.toLocaleString()} changes` : subjectOf(row.change) || "no description";

export interface FarLabel {
  readonly node: CanvasNode;
  readonly words: string;
  /** px on the map from the left edge of the node to the words, and how long they may be. */
  readonly left: number;
  readonly room: number;
}

/** Where a node's text is drawn: right of its mark, up to the next mark of its row. */
export function farLabel(node: CanvasNode, nodes: readonly CanvasNode[], zoom: number): FarLabel {
  const left = nodeWidth / 2 + (markRadius(zoom) + gap) / zoom;
  const words = labelOf(node);
  const next = nodes.reduce(
    (least, other) => (other.y === node.y && other.x > node.x ? Math.min(least, other.x) : least),
    Infinity,
  );
  const free = next === Infinity ? Infinity : next - node.x + nodeWidth / 2 - left - (2 * gap) / zoom;
  return { node, words, left, room: Math.min(free, (words.length * letter) / zoom) };
}

/** The node at a point of the map: at its mark, or at the words beside it. */
export function farNodeAt(
  nodes: readonly CanvasNode[],
  at: { readonly x: number; readonly y: number },
  zoom: number,
): CanvasNode | null {
  const row = nodes.filter(({ y }) => at.y >= y - rowGap / 2 && at.y <= y + nodeHeight + rowGap / 2);
  const hit = row.find((node) => {
    const { left, room } = farLabel(node, row, zoom);
    const end = areRowsRead(zoom) ? Math.max(nodeWidth, left + room) : nodeWidth + laneGap / 2;
    return at.x >= node.x && at.x <= node.x + end;
  });
  return hit ?? null;
}
