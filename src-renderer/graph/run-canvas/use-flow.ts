/** React Flow's nodes and edges of a run's canvas. */
import { type NodeHandle, Position } from "@xyflow/react";
import { useMemo, useState } from "react";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { RunCanvas } from "#shared/graph/run-canvas/run-canvas.ts";
import { colourOf } from "../../kit/avatar.tsx";
import { keepShared } from "../../state/structural-sharing.ts";
import { laneColour } from "./lane-bands.ts";
import type { ArcFlowEdge, LinkFlowEdge } from "./link-edge.tsx";
import type { BracketFlowNode, BubbleFlowNode, DecisionFlowNode } from "./overlay-nodes.tsx";
import type { RowFlowNode } from "./row-node.tsx";

export type RunFlowNode = RowFlowNode | DecisionFlowNode | BracketFlowNode | BubbleFlowNode;
export type RunFlowEdge = LinkFlowEdge | ArcFlowEdge;

const still = { draggable: false, selectable: false, connectable: false, focusable: false } as const;
/** React Flow calls every node one; a screen reader hears what it is from what is in it. */
const unannounced = { domAttributes: { "aria-roledescription": undefined } } as const;

/**
 * Handles for the ends of lines, which compute their own paths. Without handles React Flow draws no lines, and
 * measures the node after each change, with its lines removed meanwhile.
 */
const ends: NodeHandle[] = [
  { type: "source", position: Position.Bottom, x: 0, y: 0, width: 1, height: 1 },
  { type: "target", position: Position.Top, x: 0, y: 0, width: 1, height: 1 },
];

/** Known before it is drawn, so that React Flow need not ask for it. */
const sized = (width: number, height: number) => ({
  width,
  height,
  measured: { width: Math.round(width), height: Math.round(height) },
  handles: ends,
});

/** React Flow keeps the mouse from whatever it cannot drag or select itself. */
const forTheMouse = { style: { pointerEvents: "all" } } as const;

/** Where a line leads is said by what it joins. */
const unspoken = { domAttributes: { "aria-hidden": true } } as const;

/** @param notBegun track id → what keeps its task from being begun */
export function useFlow(
  canvas: RunCanvas | null,
  width: number,
  notBegun: Readonly<Record<string, string>>,
): { readonly nodes: RunFlowNode[]; readonly edges: RunFlowEdge[] } {
  // A row that stays as it was is not drawn again when others move.
  const [share] = useState(() => keepShared<{ nodes: RunFlowNode[]; edges: RunFlowEdge[] }>());
  return useMemo(() => {
    if (!canvas) return { nodes: [], edges: [] };
    const { margin } = canvas.columns;
    const rows = canvas.rows.map((row): RowFlowNode => {
      const isNotBegun = !row.hasBegun && !row.isFinished;
      return {
        ...still,
        ...unannounced,
        ...forTheMouse,
        id: row.id,
        type: "row",
        position: { x: 0, y: row.y },
        ...sized(width, row.height),
        zIndex: 0,
        data: { row, margin, notBegun: isNotBegun ? (notBegun[row.id] ?? "not started") : "" },
      };
    });
    return share({ nodes: [...rows, ...overlays(canvas, width)], edges: edgesOf(canvas) });
  }, [share, canvas, width, notBegun]);
}

function overlays(canvas: RunCanvas, width: number): readonly RunFlowNode[] {
  const { decisions, brackets, bubbles } = canvas;
  return [
    ...decisions.map(
      (bar): DecisionFlowNode => ({
        ...still,
        ...unannounced,
        id: `decision:${bar.decision.card ?? bar.decision.id}`,
        type: "decision",
        position: { x: bar.x, y: bar.top },
        ...sized(1, Math.max(1, bar.bottom - bar.top)),
        zIndex: 20,
        data: { bar, room: width - bar.x },
      }),
    ),
    ...brackets.map(
      (bracket): BracketFlowNode => ({
        ...still,
        ...unannounced,
        id: `bracket:${bracket.id}`,
        type: "bracket",
        position: { x: bracket.x, y: bracket.top },
        ...sized(8, bracket.bottom - bracket.top),
        zIndex: 10,
        data: { bracket, room: width - bracket.x },
      }),
    ),
    ...bubbles
      .filter(({ row }) => row !== null)
      .map(
        (bubble): BubbleFlowNode => ({
          ...still,
          ...unannounced,
          ...forTheMouse,
          id: `bubble:${bubble.card}`,
          type: "bubble",
          position: { x: bubble.x, y: bubble.y },
          ...sized(bubble.width, 1),
          zIndex: 30,
          data: { bubble },
        }),
      ),
  ];
}

function edgesOf({ rows, links, messages }: RunCanvas): RunFlowEdge[] {
  const first = rows[0]?.id;
  if (first === undefined) return [];
  // Both ends are a row that is there: where a line runs is said with it.
  const joined = { source: first, target: first, focusable: false, selectable: false } as const;
  const workers = new Map(rows.map(({ id, worker }) => [id, worker]));
  return [
    ...links.map(
      ({ id, kind, from, to, row }): LinkFlowEdge => ({
        ...joined,
        id,
        type: "link",
        zIndex: 5,
        ...unspoken,
        data: { kind, from, to, colour: laneColour(row === null ? null : (workers.get(row) ?? null)) },
      }),
    ),
    ...messages.map(
      ({ message, from, to }): ArcFlowEdge => ({
        ...joined,
        id: `message:${message.id}`,
        type: "arc",
        zIndex: 15,
        ariaLabel: `${message.kind} from ${message.from} to ${message.to}: ${shownLine(message.text)}`,
        data: {
          from,
          to,
          // The sender's colour; the user has no lane.
          colour: message.from === "you" ? "var(--text)" : colourOf(message.from),
          label: `${message.from} to ${message.to}: ${shownLine(message.text)}`,
          message: message.id,
        },
      }),
    ),
  ];
}
