import { canvasPlaces } from "./canvas-places.ts";
import type { FoldedGraph, FoldedRow } from "./history-folding.ts";
import { hiddenParents, parentRows } from "./topology.ts";

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

/** The stretch of the canvas in which a phase's changes stand. */
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
  /** The y of the highest nodes. The lowest stand at 0, so that what is added above moves nothing. */
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
