/** What happened on a lane: its line, its states, and a bead for each moment. */
import { memo } from "react";
import type { TrackMark } from "#shared/domain/timeline/timeline.ts";
import type { CanvasRow, MarkGroup } from "#shared/graph/run-canvas/run-canvas.ts";
import { cx } from "../../kit/class-names.ts";
import { laneColour } from "./lane-bands.ts";
import { markLabel, markSign, toneOfMark } from "./mark-words.ts";
import { stretchedLine, transformStyle } from "./transform-style.ts";

interface LaneTrackProps {
  readonly row: CanvasRow;
  /** Whether its worker is active, and whether it waits. */
  readonly isWorking: boolean;
  readonly isStill: boolean;
  readonly onOpen: (group: MarkGroup) => void;
}

export const LaneTrack = memo(function LaneTrack({ row, isWorking, isStill, onOpen }: LaneTrackProps) {
  const colour = laneColour(row.worker);
  const middle = row.height / 2;
  const end = laneEnd({ colour, isWorking });
  return (
    <div className="pointer-events-none absolute inset-0" style={{ color: colour }}>
      {row.line && <LaneLine line={row.line} row={row} isStill={isStill} />}
      {row.ahead && (
        // It is cut off where it ends, so that a passing second only moves it.
        <div className="absolute inset-y-0 left-0 overflow-hidden" style={{ width: row.ahead.to }}>
          <i
            data-way-ahead
            className="canvas-move absolute left-0 h-px w-full bg-[repeating-linear-gradient(90deg,currentColor_0_2px,transparent_2px_6px)] opacity-50"
            style={{ top: middle, ...transformStyle({ x: row.ahead.from }) }}
          />
        </div>
      )}
      {row.stretches.map((stretch) => (
        <i
          key={stretch.id}
          title={stretchLabels[stretch.kind]}
          className={cx(stretchedLine, "h-[6px]", stretchLook[stretch.kind])}
          style={{
            top: middle - 2,
            ...transformStyle({ x: stretch.from, width: Math.max(4, stretch.to - stretch.from) }),
          }}
        />
      ))}
      {row.marks.map((group) => (
        <Bead key={group.id} group={group} height={row.height} onOpen={onOpen} />
      ))}
      {row.line && row.mergedAt === null && !row.isFinished && (
        <i
          className={cx("canvas-move absolute left-0", end.className)}
          style={{ ...transformStyle({ x: row.line.to - 6.5, y: middle - 6 }), ...end.style }}
        />
      )}
    </div>
  );
});

interface LaneLineProps {
  readonly line: { readonly from: number; readonly to: number };
  readonly row: CanvasRow;
  readonly isStill: boolean;
}

/** Dashed while its agent waits; dashes are not scaled. */
function LaneLine({ line: { from, to }, row: { kind, height, isFinished }, isStill }: LaneLineProps) {
  const width = Math.max(1, to - from);
  return (
    <i
      data-lane-line
      className={
        isStill
          ? "canvas-move absolute left-0 bg-[repeating-linear-gradient(90deg,currentColor_0_4px,transparent_4px_7px)]"
          : cx(stretchedLine, "bg-current")
      }
      style={{
        top: height / 2,
        height: kind === "part" ? 3 : 2,
        opacity: isFinished ? 0.55 : 1,
        ...(isStill ? { width, ...transformStyle({ x: from }) } : transformStyle({ x: from, width })),
      }}
    />
  );
}

export const stretchLabels = {
  paused: "paused",
  provider: "waited for the provider",
  held: "paused by you",
  "by-hand": "assigned to you",
  asks: "waited for an answer",
  conflict: "in conflict",
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
      className="canvas-move pointer-events-auto absolute left-0 flex size-6 items-center justify-center rounded-full"
      style={transformStyle({ x: group.x - 12, y: height / 2 - 11 })}
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

interface LaneEndProps {
  readonly colour: string;
  readonly isWorking: boolean;
}

/** The end of a lane at now: with a halo while its agent works. */
const laneEnd = ({ colour, isWorking }: LaneEndProps) => ({
  className: cx("size-[13px] rounded-full border-2", isWorking ? "breathe bg-current" : "bg-surface"),
  style: {
    borderColor: colour,
    boxShadow: isWorking ? `0 0 0 4px color-mix(in srgb, ${colour} 22%, transparent)` : undefined,
  },
});

export function LaneEndSign(props: LaneEndProps) {
  const { className, style } = laneEnd(props);
  return <i className={className} style={{ ...style, color: props.colour }} />;
}

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
