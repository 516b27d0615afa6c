/** React Flow's nodes and edges of a proposed plan: ghosts above what it would stand on, in the bands of its phases. */
import { type Edge, type Node, Position } from "@xyflow/react";
import type { Priority } from "#shared/domain/graph-words/metadata.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import type { PlanProblem } from "#shared/domain/plan/plan-problem.ts";
import { type ProblemGroup, problemGroups } from "#shared/domain/plan/problem-words.ts";
import type { CanvasLayout, CanvasNode } from "#shared/graph/canvas-layout.ts";
import { laneGap, nodeHeight, nodeWidth, rowGap } from "#shared/graph/canvas-layout.ts";
import {
  contractsPart,
  integrationPart,
  type PlanLine,
  type PlanPart,
  type PlanPlace,
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
/** From a phase to the one that it waits for. */
export type PhaseFlowEdge = Edge<Record<string, never>, "phase">;
/** Two of the tasks that claim one file, or import from it; the first line of a problem carries its button. */
export type ClaimFlowEdge = Edge<{ readonly problem: ProblemGroup; readonly hasButton: boolean }, "claim">;

export interface PlanElements {
  readonly nodes: readonly (GhostFlowNode | BandFlowNode)[];
  readonly edges: readonly (GhostFlowEdge | PhaseFlowEdge | ClaimFlowEdge)[];
}

const column = nodeWidth + laneGap;
const line = nodeHeight + rowGap;
/** Room at the left of a band for its name. */
export const bandLabel = 112;
const bandEnd = 20;
/** Leaves room for the line from band to band. */
const bandPadding = 8;

/** Lines between bands go where the first column is, straight on to what the plan stands on. */
const atColumn = { x: bandLabel + nodeWidth / 2, width: 1, height: 1 };

const bandId = (phase: number): string => `proposed-band:${phase}`;

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
  handles: [
    { ...atColumn, type: "source", position: Position.Bottom, y: box.height },
    { ...atColumn, type: "target", position: Position.Top, y: 0 },
  ],
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
    note: task?.description.split("\n")[0] ?? "",
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
  const { places, lines, phaseLines, bands, columns } = planLayout(plan, onContracts);
  const free = !layout.nodes.some(({ x, y }) => x >= stand.x && y < stand.y);
  const left = free ? stand.x : layout.width + laneGap + bandLabel;
  const top = (level: number): number => stand.y - (level + 1) * line;
  const worst = worstOf(problems);

  const nodes: (GhostFlowNode | BandFlowNode)[] = bands.map(({ phase, title, from, to, tasks }) =>
    bandNode(
      bandId(phase),
      { phase, title, tasks, proposed: true },
      {
        x: left - bandLabel,
        y: top(to) - bandPadding,
        width: bandLabel + columns * column - laneGap + bandEnd,
        height: (to - from + 1) * line - rowGap + 2 * bandPadding,
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
  const edges: (GhostFlowEdge | PhaseFlowEdge | ClaimFlowEdge)[] = lines.map(({ upper, lower, way }) => {
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
  const ground = onContracts ? stand.id : keyOfPart(contractsPart);
  for (const { upper, lower } of phaseLines) {
    const source = upper === "integration" ? keyOfPart(integrationPart) : bandId(upper);
    const target = lower === null ? ground : bandId(lower);
    edges.push({ id: `${source}→${target}`, source, target, type: "phase", focusable: false, data: {} });
  }
  const place = new Map(places.map((one) => [one.part, one]));
  for (const problem of problemGroups(plan, problems)) edges.push(...claimEdges(problem, place));
  return { nodes, edges };
}

/** From each task to the next as they stand, so that a file that many claim is one line through them. */
function claimEdges(
  problem: ProblemGroup,
  place: ReadonlyMap<PlanPart, PlanPlace>,
): readonly ClaimFlowEdge[] {
  if (problem.kind !== "overlap" && problem.kind !== "import") return [];
  const found = problem.tasks
    .flatMap((id) => place.get(taskPart(id)) ?? [])
    .sort((one, other) => other.level - one.level || one.column - other.column);
  return found.slice(1).flatMap((lower, at): readonly ClaimFlowEdge[] => {
    const upper = found[at];
    if (!upper) return [];
    return [
      {
        id: `claim:${problem.key}:${at}`,
        source: keyOfPart(upper.part),
        target: keyOfPart(lower.part),
        type: "claim",
        focusable: false,
        zIndex: 1,
        data: { problem, hasButton: at === 0 },
      },
    ];
  });
}
