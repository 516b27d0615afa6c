/** The piece of the graph that one row draws: its node, the lines that pass, the lines that begin. */
import { memo } from "react";
import type { LaneRow } from "#shared/graph/lanes.ts";
import { colourOf } from "../../kit/avatar.tsx";
import { useRowHeight } from "../../state/preferences.ts";
import type { NodeShape } from "../model/change-facts.ts";

const laneWidth = 14;
/** Beyond this many lanes they move closer together, so that the words keep their place. */
const lanesAtFullWidth = 9;

const line = "var(--lane-line)";

/** Distance between lanes, by the number of lanes in use. */
const lanePitch = (lanes: number): number =>
  lanes <= lanesAtFullWidth ? laneWidth : Math.max(4, (laneWidth * lanesAtFullWidth) / lanes);

const gutterWidth = (lanes: number): number => Math.ceil(Math.max(1, lanes) * lanePitch(lanes) + 8);

interface LaneCellProps {
  readonly row: LaneRow;
  readonly lanes: number;
  readonly shape: NodeShape;
  /** Whose colour the line has; without a worker it has none. */
  readonly worker?: string | undefined;
}

/** A line from the node to its position in the next row: straight, or a bend that ends upright. */
const bend = (from: number, to: number, rowHeight: number): string => {
  const middle = rowHeight / 2;
  return from === to
    ? `M${from} ${middle}V${rowHeight}`
    : `M${from} ${middle}C${from} ${middle * 1.6} ${to} ${middle * 1.4} ${to} ${rowHeight}`;
};

export const LaneCell = memo(function LaneCell({ row, lanes, shape, worker }: LaneCellProps) {
  const rowHeight = useRowHeight();
  const middle = rowHeight / 2;
  const pitch = lanePitch(lanes);
  const x = (lane: number): number => lane * pitch + laneWidth / 2 + 2;
  const at = x(row.lane);
  const own = worker === undefined ? null : colourOf(worker);
  return (
    <svg width={gutterWidth(lanes)} height={rowHeight} className="block shrink-0" aria-hidden="true">
      <g fill="none" strokeWidth="1.5">
        {row.through.map((lane) => (
          <path key={lane} d={`M${x(lane)} 0V${rowHeight}`} stroke={line} />
        ))}
        {row.fromAbove && <path d={`M${at} 0V${middle}`} stroke={line} />}
        {row.edges.map((edge) => (
          <path key={edge.parent} d={bend(at, x(edge.to), rowHeight)} stroke={own ?? line} />
        ))}
        {row.elided > 0 && <path d={`M${at} ${middle}V${rowHeight}`} stroke={line} strokeDasharray="1.5 3" />}
      </g>
      <Node x={at} middle={middle} shape={shape} colour={own ?? "var(--muted)"} />
    </svg>
  );
});

function Node({
  x,
  middle,
  shape,
  colour,
}: {
  readonly x: number;
  readonly middle: number;
  readonly shape: NodeShape;
  readonly colour: string;
}) {
  switch (shape) {
    case "change":
      return <circle cx={x} cy={middle} r="4" fill="var(--surface)" stroke={colour} strokeWidth="2" />;
    case "working-copy":
      return (
        <>
          <circle cx={x} cy={middle} r="5.5" fill="var(--surface)" stroke="var(--accent)" strokeWidth="2" />
          <circle cx={x} cy={middle} r="2.5" fill="var(--accent)" />
        </>
      );
    case "immutable":
      return <circle cx={x} cy={middle} r="3.5" fill={colour} />;
    case "conflict":
      return (
        <>
          <circle cx={x} cy={middle} r="6" fill="var(--danger)" />
          <path
            d={`M${x - 2.2} ${middle - 2.2}l4.4 4.4m0-4.4l-4.4 4.4`}
            stroke="var(--surface)"
            strokeWidth="1.6"
            strokeLinecap="round"
          />
        </>
      );
    case "fold":
      return (
        <g fill={colour}>
          {[-5, 0, 5].map((by) => (
            <circle key={by} cx={x} cy={middle + by} r="1.6" />
          ))}
        </g>
      );
    case "empty":
      return (
        <circle
          cx={x}
          cy={middle}
          r="3.5"
          fill="var(--surface)"
          stroke={colour}
          strokeWidth="1.5"
          strokeDasharray="2 1.6"
        />
      );
  }
}
