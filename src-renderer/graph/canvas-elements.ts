/** React Flow's nodes and edges from our layout; every object that did not change is the same one again. */
import type { Edge, Node } from "@xyflow/react";
import { Position } from "@xyflow/react";
import type { Plan } from "#shared/domain/plan.ts";
import type { CanvasEdge, CanvasLayout, CanvasNode } from "#shared/graph/canvas-layout.ts";
import { laneGap, nodeHeight, nodeWidth, rowGap } from "#shared/graph/canvas-layout.ts";
import type { FoldedRow } from "#shared/graph/history-folding.ts";
import type { RadarLink } from "../state/radar.ts";

export type ChangeFlowNode = Node<
  { readonly row: Extract<FoldedRow, { kind: "change" }>; readonly hue: number },
  "change"
>;
export type FoldFlowNode = Node<
  { readonly row: Extract<FoldedRow, { kind: "fold" }>; readonly hue: number },
  "fold"
>;
export type GhostFlowNode = Node<{ readonly title: string; readonly note: string }, "ghost">;
export type FlowNode = ChangeFlowNode | FoldFlowNode | GhostFlowNode;
export type ChangeFlowEdge = Edge<{ readonly hue: number; readonly ghost: boolean }, "change">;
export type RadarFlowEdge = Edge<Pick<RadarLink, "a" | "b" | "files">, "radar">;
export type FlowEdge = ChangeFlowEdge | RadarFlowEdge;

const fixed = {
  width: nodeWidth,
  height: nodeHeight,
  // Known before it is measured: nothing is drawn twice.
  measured: { width: nodeWidth, height: nodeHeight },
  draggable: false,
  selectable: false,
  className: "nopan",
  handles: [
    {
      type: "source" as const,
      position: Position.Bottom,
      x: nodeWidth / 2,
      y: nodeHeight,
      width: 1,
      height: 1,
    },
    { type: "target" as const, position: Position.Top, x: nodeWidth / 2, y: 0, width: 1, height: 1 },
  ],
};

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
    data: { hue, ghost: false },
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

/** The change on which a proposed plan would stand. */
export interface ProposedBase {
  readonly key: string;
  /** True when it is the run's own base, which will hold the contracts. */
  readonly contracts: boolean;
}

/** All that the canvas shows: the graph, who is about to collide in it, and above its base the plan that waits for approval. */
export function flowOf(
  layout: CanvasLayout,
  plan: Plan | null,
  base: ProposedBase | null,
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
  const stand = base === null ? undefined : byId.get(base.key);
  if (plan && base && stand) {
    const ghosts = ghostsOf(plan, stand, base.contracts, layout);
    nodes.push(...ghosts.nodes);
    edges.push(...ghosts.edges);
  }
  return { nodes, edges };
}

const column = nodeWidth + laneGap;
const line = nodeHeight + rowGap;

const ghostPrefix = "ghost:";

function ghostNode(id: string, title: string, note: string, x: number, y: number): GhostFlowNode {
  return { ...fixed, id: `${ghostPrefix}${id}`, type: "ghost", position: { x, y }, data: { title, note } };
}

const ghostEdge = (source: string, target: string): FlowEdge => ({
  id: `${source}→${target}`,
  source,
  target,
  type: "change",
  focusable: false,
  data: { hue: 0, ghost: true },
});

/** The plan as it would grow: contracts above the base, phases above them, the integration on top of all. */
function ghostsOf(plan: Plan, stand: CanvasNode, standsOnContracts: boolean, layout: CanvasLayout) {
  // Over the base where there is room, else to the right of everything: no ghost covers what is real.
  const free = !layout.nodes.some(({ x, y }) => x >= stand.x && y < stand.y);
  const left = free ? stand.x : layout.width + laneGap;
  const nodes: FlowNode[] = [];
  const edges: FlowEdge[] = [];
  let y = stand.y;
  let below: readonly string[] = [stand.id];
  const add = (id: string, title: string, note: string, x: number, parents: readonly string[]): string => {
    const node = ghostNode(id, title, note, x, y);
    nodes.push(node);
    for (const parent of parents) edges.push(ghostEdge(node.id, parent));
    return node.id;
  };
  if (!standsOnContracts) {
    y -= line;
    below = [add("contracts", plan.contracts.title, "contracts", left, below)];
  }
  for (const phase of [...plan.phases].sort((a, b) => a.number - b.number)) {
    const tasks = plan.tasks.filter((task) => task.phase === phase.number);
    if (tasks.length === 0) continue;
    y -= line;
    below = tasks.map((task, index) => {
      const known = task.after.filter((id) => plan.tasks.some((other) => other.id === id));
      const parents = known.length > 0 ? known.map((id) => `${ghostPrefix}${id}`) : below;
      return add(
        task.id,
        task.title,
        `phase ${phase.number} · ${task.priority}`,
        left + index * column,
        parents,
      );
    });
  }
  if (plan.integration) {
    y -= line;
    add("integration", plan.integration.title, "integration", left, below);
  }
  return { nodes, edges };
}
