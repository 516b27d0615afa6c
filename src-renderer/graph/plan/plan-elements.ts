/** React Flow's nodes and edges of a proposed plan: ghosts above what it would stand on, in the bands of its phases. */
import type { Edge, Node } from "@xyflow/react";
import type { Priority } from "#shared/domain/graph-words/metadata.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import type { PlanProblem } from "#shared/domain/plan/plan-problem.ts";
import type { CanvasLayout, CanvasNode } from "#shared/graph/canvas-layout.ts";
import { laneGap, nodeHeight, nodeWidth, rowGap } from "#shared/graph/canvas-layout.ts";
import {
  contractsPart,
  integrationPart,
  type PlanLine,
  type PlanPart,
  planLayout,
  taskPart,
} from "#shared/graph/plan-layout.ts";
import { keyOfPart } from "../../features/plan/plan-parts.ts";
import { fixed } from "../model/node-frame.ts";

interface GhostWords {
  readonly title: string;
  readonly note: string;
  readonly files: readonly string[];
  readonly priority: Priority | null;
}

export interface GhostData extends GhostWords, Record<string, unknown> {
  readonly part: PlanPart;
  readonly worst: PlanProblem["severity"] | null;
}

export interface BandData extends Record<string, unknown> {
  readonly phase: number;
  readonly title: string;
  readonly tasks: number;
  /** True: of a proposed plan, to which a task can be added by a click. */
  readonly proposed: boolean;
}

export type GhostFlowNode = Node<GhostData, "ghost">;
export type BandFlowNode = Node<BandData, "band">;
export type GhostFlowEdge = Edge<{ readonly way: PlanLine["way"] }, "ghost">;
/** Two tasks side by side that claim one file, or of which one imports from the other. */
export type ClaimFlowEdge = Edge<{ readonly problem: PlanProblem }, "claim">;

export interface PlanElements {
  readonly nodes: readonly (GhostFlowNode | BandFlowNode)[];
  readonly edges: readonly (GhostFlowEdge | ClaimFlowEdge)[];
}

const column = nodeWidth + laneGap;
const line = nodeHeight + rowGap;
/** Room at the left of a band for its name. */
export const bandLabel = 112;
const bandEnd = 20;

export const bandNode = (
  id: string,
  data: BandData,
  box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
): BandFlowNode => ({
  id,
  type: "band",
  position: { x: box.x, y: box.y },
  width: box.width,
  height: box.height,
  measured: { width: box.width, height: box.height },
  draggable: false,
  selectable: false,
  focusable: false,
  zIndex: -1,
  style: { pointerEvents: "all" },
  data,
});

const wordsOf = (plan: Plan, part: PlanPart): GhostWords => {
  if (part === contractsPart) {
    const { title, files } = plan.contracts;
    return { title, note: "contracts, inherited by all", files, priority: null };
  }
  if (part === integrationPart)
    return { title: plan.integration?.title ?? "", note: "integration", files: [], priority: null };
  const task = plan.tasks.find((one) => taskPart(one.id) === part);
  return {
    title: task?.title ?? "",
    note: task?.id ?? "",
    files: task?.files ?? [],
    priority: task?.priority ?? null,
  };
};

/** Worst problem of each task. */
export function worstOf(problems: readonly PlanProblem[]): ReadonlyMap<string, PlanProblem["severity"]> {
  const worst = new Map<string, PlanProblem["severity"]>();
  for (const { severity, tasks } of problems)
    for (const task of tasks) if (worst.get(task) !== "fatal") worst.set(task, severity);
  return worst;
}

/** The plan as it would grow above a node; beside everything where something stands above that node already. */
export function planElements(
  plan: Plan,
  problems: readonly PlanProblem[],
  stand: CanvasNode,
  onContracts: boolean,
  layout: CanvasLayout,
): PlanElements {
  const { places, lines, bands, columns } = planLayout(plan, onContracts);
  const free = !layout.nodes.some(({ x, y }) => x >= stand.x && y < stand.y);
  const left = free ? stand.x : layout.width + laneGap + bandLabel;
  const top = (level: number): number => stand.y - (level + 1) * line;
  const worst = worstOf(problems);

  const nodes: (GhostFlowNode | BandFlowNode)[] = bands.map(({ phase, title, from, to, tasks }) =>
    bandNode(
      `proposed-band:${phase}`,
      { phase, title, tasks, proposed: true },
      {
        x: left - bandLabel,
        y: top(to) - rowGap / 2 + 2,
        width: bandLabel + columns * column - laneGap + bandEnd,
        height: (to - from + 1) * line - 4,
      },
    ),
  );
  for (const { part, level, column: at } of places) {
    const task = plan.tasks.find((one) => taskPart(one.id) === part);
    nodes.push({
      ...fixed,
      id: keyOfPart(part),
      type: "ghost",
      position: { x: left + at * column, y: top(level) },
      data: { part, ...wordsOf(plan, part), worst: (task && worst.get(task.id)) ?? null },
    });
  }
  const edges: (GhostFlowEdge | ClaimFlowEdge)[] = lines.map(({ upper, lower, way }) => {
    const target = lower === null ? stand.id : keyOfPart(lower);
    return {
      id: `${keyOfPart(upper)}→${target}`,
      source: keyOfPart(upper),
      target,
      type: "ghost",
      focusable: false,
      data: { way },
    };
  });
  const level = new Map(places.map((place) => [place.part, place.level]));
  for (const problem of problems) {
    if (problem.kind !== "overlap" && problem.kind !== "import") continue;
    const parts = problem.tasks.map(taskPart).filter((part) => level.has(part));
    const [upper, lower] = parts.sort((one, other) => (level.get(other) ?? 0) - (level.get(one) ?? 0));
    if (upper === undefined || lower === undefined) continue;
    edges.push({
      id: `claim:${problem.kind}:${problem.tasks.join(":")}`,
      source: keyOfPart(upper),
      target: keyOfPart(lower),
      type: "claim",
      focusable: false,
      zIndex: 1,
      data: { problem },
    });
  }
  return { nodes, edges };
}
