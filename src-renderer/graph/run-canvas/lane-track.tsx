/** What happened on a lane: its line, its states, a bead for each moment, and its end. */
import { memo } from "react";
import type { TrackMark } from "#shared/domain/timeline/timeline.ts";
import { isAtWork } from "#shared/domain/worker/roles.ts";
import {
  type CanvasRow,
  type MarkGroup,
  middleOf,
  type Point,
  type RunCanvas,
} from "#shared/graph/run-canvas/run-canvas.ts";
import { laneColour } from "../../kit/avatar.tsx";
import { cx } from "../../kit/class-names.ts";
import { usePartOfHost } from "../../state/host-store.ts";
import { markLabel, markSign, toneOfMark } from "./mark-texts.ts";

interface LaneTrackProps {
  readonly row: CanvasRow;
  /** Whether its worker waits. */
  readonly isStill: boolean;
  readonly onOpen: (group: MarkGroup) => void;
}

export const LaneTrack = memo(function LaneTrack({ row, isStill, onOpen }: LaneTrackProps) {
  const middle = row.height / 2;
  return (
    <div className="pointer-events-none absolute inset-0" style={{ color: laneColour(row.worker) }}>
      {row.line && <LaneLine line={row.line} row={row} isStill={isStill} />}
      {row.ahead && (
        <i
          data-way-ahead
          className="canvas-move absolute h-px bg-[repeating-linear-gradient(90deg,color-mix(in_srgb,currentColor_50%,transparent)_0_2px,transparent_2px_6px)]"
          style={{ top: middle, left: row.ahead.from, width: Math.max(0, row.ahead.to - row.ahead.from) }}
        />
      )}
      {row.stretches.map((stretch) => (
        <i
          key={stretch.id}
          title={stretchLabels[stretch.kind]}
          className={cx("canvas-move absolute h-[6px]", stretchLook[stretch.kind])}
          style={{ top: middle - 2, left: stretch.from, width: Math.max(4, stretch.to - stretch.from) }}
        />
      ))}
      {row.marks.map((group) => (
        <Bead key={group.id} group={group} height={row.height} onOpen={onOpen} />
      ))}
    </div>
  );
});

interface LaneLineProps {
  readonly line: { readonly from: number; readonly to: number };
  readonly row: CanvasRow;
  readonly isStill: boolean;
}

/** Dashed while its agent waits. */
const LaneLine = ({ line: { from, to }, row: { kind, height, isFinished }, isStill }: LaneLineProps) => (
  <i
    data-lane-line
    className={cx(
      "canvas-move absolute",
      isStill
        ? "bg-[repeating-linear-gradient(90deg,currentColor_0_4px,transparent_4px_7px)]"
        : isFinished
          ? "bg-current/55"
          : "bg-current",
    )}
    style={{ top: height / 2, height: kind === "part" ? 3 : 2, left: from, width: Math.max(1, to - from) }}
  />
);

export const stretchLabels = {
  paused: "paused",
  provider: "waited for the provider",
  held: "paused by you",
  "by-hand": "assigned to you",
  asks: "waited for an answer",
  conflict: "in conflict",
  waits: "waited for another agent's work",
  stuck: "blocked and waited for help",
  stalled: "stalled: worked without progress",
} as const;

export const stretchLook = {
  paused: "bg-faint/45",
  provider: "bg-warning/40",
  held: "bg-faint/45",
  "by-hand": "bg-info/50",
  asks: "bg-warning/55",
  conflict: "bg-danger/55",
  waits: "bg-warning/40",
  stuck: "bg-danger/30 border-y border-danger",
  stalled: "border-y-[1.5px] border-warning",
} as const;

interface BeadProps {
  readonly group: MarkGroup;
  /** px of its row */
  readonly height: number;
  readonly onOpen: LaneTrackProps["onOpen"];
}

/** Memoized: a lane that grows does not redraw its beads. */
const Bead = memo(function Bead({ group, height, onOpen }: BeadProps) {
  const label = group.marks.map(markLabel).join(", ");
  return (
    <button
      type="button"
      tabIndex={-1}
      data-mark={group.id}
      aria-label={label}
      title={label}
      onClick={() => onOpen(group)}
      className="canvas-move pointer-events-auto absolute z-[2] flex size-6 items-center justify-center rounded-full"
      style={{ left: group.x - 12, top: height / 2 - 11 }}
    >
      <BeadSign marks={group.marks} hasRoom={height >= minWidthForIcons} />
    </button>
  );
});

interface BeadSignProps {
  readonly marks: readonly TrackMark[];
  /** Whether a sign has room below it. */
  readonly hasRoom: boolean;
}

/** The last of some marks, in the colour of its lane; red where one of them is. */
export function BeadSign({ marks, hasRoom }: BeadSignProps) {
  const mark = marks.at(-1);
  if (!mark) return null;
  const tone = marks.map(toneOfMark).find((one) => one === "danger") ?? toneOfMark(mark);
  const sign = markSign(mark);
  const hasSign = sign !== null && hasRoom;
  return (
    <>
      <i
        className={cx(
          "flex items-center justify-center rounded-full border-2 bg-surface",
          isLarge(mark) ? "size-[13px]" : "size-[9px]",
        )}
        style={{
          borderColor: tone === "danger" ? "var(--danger)" : "currentColor",
          background: filled(mark, hasSign),
        }}
      />
      {hasSign && (
        <span
          aria-hidden
          className={cx(
            "absolute top-[15px] text-[11px] leading-none font-semibold",
            tone === "danger" ? "text-danger" : tone === "good" ? "text-success" : "text-faint",
          )}
        >
          {sign}
        </span>
      )}
    </>
  );
}

/** The ends of open lanes at now. Those at work breathe together: each alone would be drawn and styled on its own. */
export function LaneEnds({ rows }: Pick<RunCanvas, "rows">) {
  const atWork = usePartOfHost(({ run }) =>
    (run?.workers ?? []).flatMap(({ name, state }) => (isAtWork(state) ? [name] : [])),
  );
  const open = rows.flatMap(({ id, worker, line, mergedAt, isFinished, ...row }) =>
    line && mergedAt === null && !isFinished
      ? [
          {
            id,
            isWorking: worker !== null && atWork.includes(worker),
            colour: laneColour(worker),
            x: line.to,
            y: middleOf(row),
          },
        ]
      : [],
  );
  const [working = [], waiting = []] = [true, false].map((isWorking) =>
    open.filter((end) => end.isWorking === isWorking).map(({ id, ...end }) => <LaneEnd key={id} {...end} />),
  );
  return (
    <g aria-hidden>
      {waiting}
      {working.length > 0 && <g className="breathe">{working}</g>}
    </g>
  );
}

interface LaneEndProps extends Point {
  readonly colour: string;
  readonly isWorking: boolean;
}

/** With a halo while its agent works. */
export const LaneEnd = ({ x, y, colour, isWorking }: LaneEndProps) => (
  <>
    {isWorking && (
      <circle className="canvas-move" cx={x} cy={y + 0.5} r={10.5} fill={colour} fillOpacity={0.22} />
    )}
    <circle
      className="canvas-move"
      cx={x}
      cy={y + 0.5}
      r={5.5}
      stroke={colour}
      strokeWidth={2}
      fill={isWorking ? colour : "var(--surface)"}
    />
  </>
);

/** px of a row with room for a sign below its beads. */
const minWidthForIcons = 36;

/** What is over is full; where a sign has no room, the colour of its bead tells what the checks came to. */
function filled(mark: TrackMark, hasSign: boolean): string | undefined {
  if (mark.kind === "merged" || mark.kind === "done") return "currentColor";
  if (hasSign || mark.kind !== "iteration" || mark.failed === null) return undefined;
  return mark.failed.length === 0 ? "var(--success)" : "var(--danger)";
}

const large: ReadonlySet<TrackMark["kind"]> = new Set([
  "conflict",
  "contradiction",
  "merged",
  "integrated",
  "judged",
  "landed",
]);
const isLarge = ({ kind }: TrackMark): boolean => large.has(kind);
