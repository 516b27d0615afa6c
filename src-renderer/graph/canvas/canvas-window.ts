/**
 * The part of a large graph that React Flow is given. It looks at every node and every edge with each frame of a pan,
 * so what it does not know costs nothing.
 */
import { useStore } from "@xyflow/react";
import { useMemo } from "react";
import { nodeHeight } from "#shared/graph/canvas-layout.ts";
import type { FlowEdge, FlowNode } from "./canvas-elements.ts";

export interface Flow {
  readonly nodes: FlowNode[];
  readonly edges: FlowEdge[];
}

/** Below this the whole graph is given. */
const large = 400;
/** The window moves in steps of this many canvas pixels, and reaches one step beyond what is seen. */
const step = 1_600;

const namesOf = new WeakMap<readonly FlowNode[], ReadonlyMap<string, FlowNode>>();

/** Node by id, made once for each graph: half of what a step of the window cost. */
function byIdOf(nodes: readonly FlowNode[]): ReadonlyMap<string, FlowNode> {
  const known = namesOf.get(nodes) ?? new Map(nodes.map((node) => [node.id, node]));
  namesOf.set(nodes, known);
  return known;
}

/** Nodes between two heights, the edges that cross this stretch, and the nodes at their ends. */
export function stretchOf({ nodes, edges }: Flow, top: number, bottom: number): Flow {
  const byId = byIdOf(nodes);
  const inside = new Set(
    nodes.filter(({ position: { y }, height = nodeHeight }) => y + height >= top && y <= bottom),
  );
  const crossing = edges.filter((edge) => {
    const from = byId.get(edge.source);
    const to = byId.get(edge.target);
    if (!from || !to || to.position.y < top || from.position.y > bottom) return false;
    inside.add(from);
    inside.add(to);
    return true;
  });
  return { nodes: nodes.filter((node) => inside.has(node)), edges: crossing };
}

/** The window around what is seen; the same object until the view has moved on by a step. */
export function useWindow(flow: Flow): Flow {
  const firstStep = useStore(({ transform: [, y, zoom] }) => Math.floor(-y / zoom / step) - 1);
  const lastStep = useStore(
    ({ transform: [, y, zoom], height }) => Math.ceil((height - y) / zoom / step) + 1,
  );
  return useMemo(
    () => (flow.nodes.length <= large ? flow : stretchOf(flow, firstStep * step, lastStep * step)),
    [flow, firstStep, lastStep],
  );
}
