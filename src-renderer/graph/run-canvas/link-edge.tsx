/** The lines between a spine and its lanes, and those of messages. */
import type { Edge, EdgeProps } from "@xyflow/react";
import { memo } from "react";
import type { CanvasLink, Point } from "#shared/graph/run-canvas/run-canvas.ts";
import { goToCard } from "../../state/go-to.ts";
import { useHost } from "../../state/host-store.ts";
import { inspect } from "../../state/selection-store.ts";
import { transformStyle } from "./transform-style.ts";

export type LinkFlowEdge = Edge<
  Pick<CanvasLink, "kind" | "from" | "to"> & { readonly colour: string },
  "link"
>;
export type ArcFlowEdge = Edge<
  {
    readonly from: Point;
    readonly to: Point;
    readonly colour: string;
    readonly label: string;
    readonly message: string;
  },
  "arc"
>;

/** Leaves a spine downwards and comes into a lane along it. */
const downInto = (from: Point, to: Point): string => {
  const bend = Math.min(40, Math.max(12, (to.x - from.x) * 0.6));
  return `M ${from.x} ${from.y} C ${from.x + 2} ${(from.y + to.y) / 2 + 8}, ${to.x - bend} ${to.y}, ${to.x} ${to.y}`;
};

/** Leaves a lane along it and comes up into a spine. */
const upInto = (from: Point, to: Point): string => {
  const middle = (from.x + to.x) / 2;
  return `M ${from.x} ${from.y} C ${middle} ${from.y}, ${middle} ${to.y + Math.min(40, (from.y - to.y) * 0.5)}, ${to.x} ${to.y}`;
};

/** Goes up past the lanes that it gathers, and into a spine along it. */
const upAlong = (from: Point, to: Point): string => {
  const bend = to.x - from.x;
  return `M ${from.x} ${from.y} V ${to.y + bend} Q ${from.x} ${to.y}, ${to.x} ${to.y}`;
};

/** Leaves a lane along it, and comes into another one along that. */
const across = (from: Point, to: Point): string => {
  const middle = (from.x + to.x) / 2;
  return `M ${from.x} ${from.y} C ${middle} ${from.y}, ${middle} ${to.y}, ${to.x} ${to.y}`;
};

const pathOf = ({ kind, from, to }: Pick<CanvasLink, "kind" | "from" | "to">): string => {
  switch (kind) {
    case "begins":
      return downInto(from, to);
    case "forks":
      return across(from, to);
    case "gathers":
      return upAlong(from, to);
    case "ahead":
    case "merges":
      return upInto(from, to);
  }
};

export const LinkEdge = memo(function LinkEdge({ data }: EdgeProps<LinkFlowEdge>) {
  if (!data) return null;
  const { kind, colour, to } = data;
  const isAhead = kind === "ahead" || kind === "gathers";
  return (
    <>
      <path
        className="canvas-line"
        d={pathOf(data)}
        fill="none"
        stroke={colour}
        strokeWidth={isAhead ? 1.25 : 2}
        strokeDasharray={isAhead ? "2 4" : undefined}
        opacity={kind === "gathers" ? 1 : isAhead ? 0.5 : 0.9}
      />
      {kind === "merges" && <circle className="canvas-move" style={transformStyle(to)} r={4} fill={colour} />}
    </>
  );
});

export const ArcEdge = memo(function ArcEdge({ data }: EdgeProps<ArcFlowEdge>) {
  if (!data) return null;
  const { from, to, colour, label, message } = data;
  const d = upInto(from, to);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: by keys a message is read at its lane and in its change
    <g className="canvas-arc" onClick={() => openMessage(message)}>
      <title>{label}</title>
      <path className="canvas-line" d={d} fill="none" stroke="transparent" strokeWidth={12} />
      <path
        className="canvas-line"
        d={d}
        fill="none"
        stroke={colour}
        strokeWidth={1.5}
        strokeDasharray="5 3"
      />
      <circle className="canvas-move" style={transformStyle(from)} r={4} fill={colour} />
    </g>
  );
});

/** The card that waits for an answer, else the change that the message is. */
function openMessage(id: string): void {
  if (useHost.getState().inbox.some((item) => item.id === id)) goToCard(id);
  else inspect(id);
}
