import { hiddenParents, parentRows } from "./change-graph.ts";
import type { FoldedGraph, FoldedRow } from "./history-folding.ts";

/** Size of every node, in canvas pixels: fixed, so that nothing needs to be measured before it is drawn. */
export const nodeWidth = 232;
export const nodeHeight = 64;
/** Free space between the nodes of neighbouring columns, and of neighbouring rows. */
export const laneGap = 40;
export const rowGap = 36;

export interface CanvasNode {
  /** Change id, commit id when divergent, or the fold's commit id: the same through rewrites of a change. */
  readonly id: string;
  readonly row: FoldedRow;
  readonly x: number;
  readonly y: number;
}

export interface CanvasEdge {
  readonly id: string;
  /** Id of the child's node. */
  readonly source: string;
  /** Id of the parent's node; null for parents that are not shown, drawn as a short line downwards. */
  readonly target: string | null;
}

/** A phase's part of the canvas. */
interface PhaseBand {
  readonly phase: number;
  readonly top: number;
  readonly bottom: number;
}

export interface CanvasLayout {
  readonly nodes: readonly CanvasNode[];
  readonly edges: readonly CanvasEdge[];
  /** Highest phase first. Bands of phases that run at the same time overlap. */
  readonly phases: readonly PhaseBand[];
  readonly width: number;
  readonly height: number;
  /** The y of the topmost nodes. The bottom is 0, so that new nodes above move nothing. */
  readonly top: number;
}

/** The node's name on the canvas. */
export function canvasId(row: FoldedRow): string {
  if (row.kind === "fold") return `fold:${row.fold}`;
  return row.change.divergent ? row.change.commitId : row.change.changeId;
}

/**
 * Lays the canvas out: a row's column gives x, its level gives y, newest at the top. (design section 12)
 * @param previous the layout before; nodes and edges that did not change are the same objects again.
 */
export function canvasLayout(graph: FoldedGraph, previous?: CanvasLayout): CanvasLayout {
  const oldNodes = new Map(previous?.nodes.map((node) => [node.id, node]));
  const oldEdges = new Map(previous?.edges.map((edge) => [edge.id, edge]));
  const { levels, columns, columnCount } = canvasPlaces(graph);
  const highest = levels.reduce((most, level) => Math.max(most, level), 0);
  const nodes = graph.rows.map((row, at): CanvasNode => {
    const id = canvasId(row);
    const x = (columns[at] ?? 0) * (nodeWidth + laneGap);
    const y = -(levels[at] ?? 0) * (nodeHeight + rowGap);
    const old = oldNodes.get(id);
    return old && old.row === row && old.x === x && old.y === y ? old : { id, row, x, y };
  });
  const edges = nodes.flatMap(({ id: source }, at): CanvasEdge[] => {
    const targets: (string | null)[] = parentRows(graph, at).flatMap((parent) => nodes[parent]?.id ?? []);
    if (hiddenParents(graph, at) > 0) targets.push(null);
    return targets.map((target) => {
      const id = `${source}→${target ?? ""}`;
      return oldEdges.get(id) ?? { id, source, target };
    });
  });
  return {
    nodes,
    edges,
    phases: bandsOf(nodes),
    width: Math.max(0, columnCount * (nodeWidth + laneGap) - laneGap),
    height: nodes.length === 0 ? 0 : (highest + 1) * (nodeHeight + rowGap) - rowGap,
    top: -highest * (nodeHeight + rowGap),
  };
}

/** The position of each row of a folded graph on the canvas, in steps. */
interface CanvasPlaces {
  /** Row → steps above the lowest row; every row is above all of its parents. */
  readonly levels: Int32Array;
  /** Row → steps to the right. No two rows share a level and a column. */
  readonly columns: Int32Array;
  readonly columnCount: number;
}

/** A child's weight for continuing its parent's line: a run's work goes straight up, notes branch off. */
function importance(row: FoldedRow): number {
  const kind = row.kind === "change" ? row.change.metadata.kind : undefined;
  if (kind === "message" || kind === "pattern") return 0;
  return kind === undefined ? 1 : 1_000;
}

/**
 * Places a graph as a trunk with branches: the most important line of work goes straight up in its parent's
 * column, and other children branch off to the right. (design section 12) Takes time in proportion to the
 * rows and to the branches per column.
 */
function canvasPlaces(graph: FoldedGraph): CanvasPlaces {
  const count = graph.rows.length;
  const levels = new Int32Array(count);
  const trunkParent = new Int32Array(count).fill(-1);
  const weight = new Float64Array(count);
  for (let row = count - 1; row >= 0; row--) {
    const parents = parentRows(graph, row);
    trunkParent[row] = parents[0] ?? -1;
    levels[row] = parents.reduce((most, parent) => Math.max(most, (levels[parent] ?? 0) + 1), 0);
  }
  // Children come before parents, so every weight is complete when it is passed down.
  const branches: number[][] = Array.from({ length: count }, () => []);
  for (let row = 0; row < count; row++) {
    const folded = graph.rows[row];
    weight[row] = (weight[row] ?? 0) + (folded ? importance(folded) : 0);
    const parent = trunkParent[row] ?? -1;
    if (parent < 0) continue;
    weight[parent] = (weight[parent] ?? 0) + (weight[row] ?? 0);
    branches[parent]?.push(row);
  }
  for (const rows of branches) rows.sort((a, b) => (weight[b] ?? 0) - (weight[a] ?? 0) || a - b);

  const columns = new Int32Array(count);
  const taken = new TakenColumns();
  const branchOff = (start: number, leftmost: number): number => {
    let top = start;
    for (let next = branches[top]?.[0]; next !== undefined; next = branches[top]?.[0]) top = next;
    const column = taken.take(leftmost, levels[start] ?? 0, levels[top] ?? 0);
    for (let row: number | undefined = start; row !== undefined; row = branches[row]?.[0])
      columns[row] = column;
    return column;
  };
  for (let row = count - 1; row >= 0; row--) {
    if ((trunkParent[row] ?? -1) < 0) branchOff(row, 0);
    let leftmost = (columns[row] ?? 0) + 1;
    let level = -1;
    for (const branch of branches[row]?.slice(1) ?? []) {
      // A branch at its neighbour's level must not be left of it: those columns are taken.
      const column = branchOff(branch, levels[branch] === level ? leftmost : (columns[row] ?? 0) + 1);
      leftmost = column + 1;
      level = levels[branch] ?? 0;
    }
  }
  return { levels, columns, columnCount: taken.count };
}

/** Which stretches of levels are in use in each column. */
class TakenColumns {
  readonly #stretches: [number, number][][] = [];

  get count(): number {
    return this.#stretches.length;
  }

  /** The first column from `leftmost` on whose levels `from` to `to` are free; they are taken from now on. */
  take(leftmost: number, from: number, to: number): number {
    let column = leftmost;
    while (this.#stretches[column]?.some(([bottom, top]) => from <= top && bottom <= to)) column++;
    while (this.#stretches.length <= column) this.#stretches.push([]);
    this.#stretches[column]?.push([from, to]);
    return column;
  }
}

function bandsOf(nodes: readonly CanvasNode[]): PhaseBand[] {
  const bands = new Map<number, PhaseBand>();
  for (const { row, y } of nodes) {
    const phase = row.kind === "change" ? row.change.metadata.phase : undefined;
    if (phase === undefined) continue;
    const known = bands.get(phase);
    const top = Math.min(known?.top ?? Infinity, y - rowGap / 2);
    const bottom = Math.max(known?.bottom ?? -Infinity, y + nodeHeight + rowGap / 2);
    bands.set(phase, { phase, top, bottom });
  }
  return [...bands.values()].sort((a, b) => b.phase - a.phase);
}
