/** React Flow's nodes and edges from our layout; every object that did not change is the same one again. */
import type { Edge, Node } from "@xyflow/react";
import { useCallback, useMemo } from "react";
import {
  type CanvasEdge,
  type CanvasLayout,
  type CanvasNode,
  laneGap,
  nodeWidth,
} from "#shared/graph/canvas-layout.ts";
import type { FoldedRow } from "#shared/graph/history-folding.ts";
import { type RadarLink, useRadarLinks } from "../../state/radar.ts";
import { canvasOf, foldedRowOfKey, type GraphModel, useModel } from "../model/graph-model.ts";
import { fixed } from "../model/node-frame.ts";

export type ChangeFlowNode = Node<
  { readonly row: Extract<FoldedRow, { kind: "change" }>; readonly hue: number },
  "change"
>;
export type FoldFlowNode = Node<
  { readonly row: Extract<FoldedRow, { kind: "fold" }>; readonly hue: number },
  "fold"
>;
export type FlowNode = ChangeFlowNode | FoldFlowNode;
export type ChangeFlowEdge = Edge<{ readonly hue: number }, "change">;
export type RadarFlowEdge = Edge<Pick<RadarLink, "a" | "b" | "files">, "radar">;
export type FlowEdge = ChangeFlowEdge | RadarFlowEdge;

const hueOf = (x: number): number => Math.round(x / (nodeWidth + laneGap)) % 8;

const flowNodes = new WeakMap<CanvasNode, FlowNode>();
const flowEdges = new WeakMap<CanvasEdge, ChangeFlowEdge>();

function flowNode(node: CanvasNode): FlowNode {
  const known = flowNodes.get(node);
  if (known) return known;
  const { id, row, x, y } = node;
  const place = { id, position: { x, y }, ...fixed };
  const hue = hueOf(x);
  const made: FlowNode =
    row.kind === "fold"
      ? { ...place, type: "fold", data: { row, hue } }
      : { ...place, type: "change", data: { row, hue } };
  flowNodes.set(node, made);
  return made;
}

function flowEdge(edge: CanvasEdge, target: CanvasNode): ChangeFlowEdge {
  const known = flowEdges.get(edge);
  const hue = hueOf(target.x);
  if (known?.data?.hue === hue) return known;
  const made: ChangeFlowEdge = {
    id: edge.id,
    source: edge.source,
    target: target.id,
    type: "change",
    focusable: false,
    data: { hue },
  };
  flowEdges.set(edge, made);
  return made;
}

/** From the upper node to the lower, as all edges go. */
function radarEdge({ a, b, files }: RadarLink, one: CanvasNode, other: CanvasNode): RadarFlowEdge {
  const [upper, lower] = one.y <= other.y ? [one, other] : [other, one];
  return {
    id: `radar:${one.id}:${other.id}`,
    source: upper.id,
    target: lower.id,
    type: "radar",
    focusable: false,
    data: { a, b, files },
  };
}

/** All that the map shows: the graph, and who is about to collide in it. */
export function flowOf(
  layout: CanvasLayout,
  radar: readonly RadarLink[] = [],
): { readonly nodes: FlowNode[]; readonly edges: FlowEdge[] } {
  const byId = new Map(layout.nodes.map((node) => [node.id, node]));
  const nodes = layout.nodes.map(flowNode);
  const edges: FlowEdge[] = [];
  for (const edge of layout.edges) {
    const target = edge.target === null ? undefined : byId.get(edge.target);
    if (target) edges.push(flowEdge(edge, target));
  }
  for (const link of radar) {
    const [from, to] = [byId.get(link.from), byId.get(link.to)];
    if (from && to) edges.push(radarEdge(link, from, to));
  }
  return { nodes, edges };
}

interface Place {
  readonly x: number;
  readonly y: number;
}

export interface CanvasScene {
  readonly model: GraphModel | null;
  readonly layout: CanvasLayout | null;
  readonly radar: readonly RadarLink[];
  readonly flowed: { readonly nodes: FlowNode[]; readonly edges: FlowEdge[] };
  /** The upper left corner of what a key names. */
  readonly placeOf: (key: string) => Place | undefined;
}

const nothing: CanvasScene["flowed"] = { nodes: [], edges: [] };

/** What the map shows, and where. */
export function useCanvasScene(): CanvasScene {
  const model = useModel((state) => state.model);
  const layout = model && canvasOf(model);
  const radar = useRadarLinks();
  const flowed = useMemo(() => (layout ? flowOf(layout, radar) : nothing), [layout, radar]);
  const placeOf = useCallback(
    (key: string) => layout?.nodes[model ? foldedRowOfKey(model, key) : -1],
    [layout, model],
  );
  return { model, layout, radar, flowed, placeOf };
}
