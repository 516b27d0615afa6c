import { memo, useMemo, useRef } from "react";
import type { ReplayMark, ReplayMoment, ReplayView } from "#shared/contract/commands/replay.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { laneColour } from "../../kit/avatar.tsx";
import { cx } from "../../kit/class-names.ts";
import { type KeyTable, takeKey } from "../../kit/key-table.ts";
import { clockTime, type DensityBar, highest, type TrackTime } from "./actor-density.ts";

const height = 22;
/** Equal parts of the time whose operations are counted together. */
export const densityParts = 180;
/** By shape as well as by colour. */
const marks: Readonly<Record<ReplayMark, string>> = {
  decision: "bg-warning rotate-45",
  votes: "bg-info rounded-full",
  conflict: "bg-danger [clip-path:polygon(50%_0,100%_100%,0_100%)]",
};
const markLabels: Readonly<Record<ReplayMark, string>> = {
  decision: "decisions and questions",
  votes: "votes",
  conflict: "conflicts",
};

interface TrackProps {
  readonly label: string;
  readonly shown: TrackTime;
  /** ms since 1970. */
  readonly at: number;
  /** What happened last, in words. */
  readonly words: string;
  readonly bars: readonly DensityBar[];
  /** Its highlights; null: not known yet. */
  readonly view: ReplayView | null;
  /** The moment that others are compared with. */
  readonly marked: number | null;
  readonly onGo: (at: number) => void;
  readonly onStep: (way: 1 | -1) => void;
}

/** How much happened when and by whom, the highlights, and a slider over it for keyboards and screen readers. */
export function TimeTrack({ label, shown, at, words, bars, view, marked, onGo, onStep }: TrackProps) {
  const { from, to } = shown;
  const before = useRef<HTMLElement | null>(null);
  const time = `${clockTime(at - from)} of ${clockTime(to - from)}`;
  const [first, last] = [shown.drawn(from), shown.drawn(to)];
  const share = (moment: number): number => (shown.drawn(moment) - first) / Math.max(1, last - first);
  return (
    <div className="relative h-7 min-w-24 flex-1">
      <Breaks shown={shown} />
      <Density bars={bars} done={share(at)} />
      {view && <Marks view={view} shown={shown} />}
      {marked !== null && (
        <i
          aria-hidden
          className="pointer-events-none absolute inset-y-0 -ml-px w-0.5 bg-text"
          style={{ left: `${share(marked) * 100}%` }}
        />
      )}
      <input
        type="range"
        aria-label={label}
        aria-valuetext={words === "" ? time : `${time}: ${words}`}
        min={first}
        max={last}
        step={Math.max(1, Math.round((last - first) / 1_000))}
        value={shown.drawn(at)}
        onChange={(event) => onGo(shown.moment(Number(event.target.value)))}
        // A mouse moves the time and leaves the keys where they were: mostly on the graph.
        onPointerDown={() => {
          const active = document.activeElement;
          before.current = active instanceof HTMLElement && active !== document.body ? active : null;
        }}
        onPointerUp={(event) => {
          event.currentTarget.blur();
          before.current?.focus({ preventScroll: true });
        }}
        onKeyDown={(event) => takeKey(trackKeys, event, onStep)}
        className="absolute inset-x-0 bottom-0 h-[22px] w-full cursor-ew-resize appearance-none rounded-sm bg-transparent focus-visible:outline-2 focus-visible:outline-accent [&::-webkit-slider-thumb]:h-[22px] [&::-webkit-slider-thumb]:w-1 [&::-webkit-slider-thumb]:appearance-none [&::-webkit-slider-thumb]:rounded-sm [&::-webkit-slider-thumb]:bg-accent-strong"
      />
    </div>
  );
}

/** The arrows go from one moment to the next: between them nothing is to be seen. */
export const trackKeys: KeyTable<(way: 1 | -1) => void> = {
  place: "On the timeline of a run",
  rows: [
    { keys: "ArrowLeft", also: ["ArrowDown"], what: "the previous moment", run: (go) => go(-1) },
    { keys: "ArrowRight", also: ["ArrowUp"], what: "the next moment", run: (go) => go(1) },
  ],
};

/** Idle time, drawn shortened. */
function Breaks({ shown: { shortened, drawn, from, to } }: { readonly shown: TrackTime }) {
  const [first, last] = [drawn(from), drawn(to)];
  const percent = (at: number): number => Math.min(1, (at - first) / Math.max(1, last - first)) * 100;
  return shortened.map(({ drawnFrom, drawnTo }) => (
    <i
      key={drawnFrom}
      aria-hidden
      className="pointer-events-none absolute bottom-0 h-[22px] bg-[repeating-linear-gradient(135deg,transparent_0_3px,var(--line)_3px_4px)]"
      style={{ left: `${percent(drawnFrom)}%`, width: `${percent(drawnTo) - percent(drawnFrom)}%` }}
    />
  ));
}

interface DensityProps {
  readonly bars: readonly DensityBar[];
  /** The part of the time that is over at what is shown, from 0 to 1. */
  readonly done: number;
}

/** One colour for each actor, as on the canvas; what comes after the moment that is shown is pale. */
const Density = memo(function Density({ bars, done }: DensityProps) {
  return (
    <svg
      aria-hidden="true"
      className="absolute inset-x-0 bottom-0 h-[22px] w-full"
      preserveAspectRatio="none"
      viewBox={`0 0 ${densityParts} ${height}`}
    >
      <rect x={0} y={height - 1} width={densityParts} height={1} className="fill-line" />
      {shapesOf(bars, done).map(({ actor, isOver, d }) => (
        <path
          key={`${actor} ${isOver}`}
          d={d}
          fill={isWorker(actor) ? laneColour(actor) : "var(--faint)"}
          opacity={isOver ? 1 : 0.3}
        />
      ))}
    </svg>
  );
});

interface DensityShape {
  readonly actor: string;
  /** Whether it comes before the moment that is shown. */
  readonly isOver: boolean;
  readonly d: string;
}

/** All bars of an actor as one shape: an element for each of hundreds of bars is too much, they move once a second. */
function shapesOf(bars: readonly DensityBar[], done: number): readonly DensityShape[] {
  const most = highest(bars);
  // High bars do not press down the low ones.
  const top = (count: number): number =>
    Math.round(100 * (height - 1 - (height - 4) * Math.sqrt(count / most))) / 100;
  const shapes = new Map<string, { actor: string; isOver: boolean; d: string }>();
  for (const { part, actor, below, count } of bars) {
    const isOver = part / densityParts <= done;
    const key = `${actor} ${isOver}`;
    const shape = shapes.get(key) ?? { actor, isOver, d: "" };
    shape.d += `M${part} ${top(below)}V${top(below + count)}h.8V${top(below)}z`;
    shapes.set(key, shape);
  }
  return [...shapes.values()];
}

/** What Hox itself and terminals did has no lane. */
const isWorker = (actor: string): boolean => actor !== "hox" && actor !== "terminal" && actor !== "";

/** The highlights, one of a kind in each hundredth of the time: more would overlap. */
function marksOf(
  view: ReplayView,
  { from, to, drawn }: TrackTime,
): readonly { readonly mark: ReplayMark; readonly place: number }[] {
  const length = Math.max(1, drawn(to) - drawn(from));
  const found = new Map<string, { mark: ReplayMark; place: number }>();
  for (const { mark, at } of view.moments) {
    if (mark === null) continue;
    const place = (drawn(at) - drawn(from)) / length;
    const key = `${mark} ${Math.round(place * 100)}`;
    if (!found.has(key)) found.set(key, { mark, place });
  }
  return [...found.values()];
}

function Marks({ view, shown }: { readonly view: ReplayView; readonly shown: TrackTime }) {
  const shownMarks = useMemo(() => marksOf(view, shown), [view, shown]);
  return (
    <div aria-hidden className="pointer-events-none absolute inset-x-[2px] top-0 h-2">
      {shownMarks.map(({ mark, place }) => (
        <span
          key={`${mark} ${place}`}
          data-mark={mark}
          className={cx("absolute top-0.5 -ml-[3px] size-1.5", marks[mark])}
          style={{ left: `${place * 100}%` }}
        />
      ))}
    </div>
  );
}

/** What the marks mean, for those that a recording has. */
export function MarkLegend({ view }: { readonly view: ReplayView }) {
  const known = useMemo(() => new Set(view.moments.map(({ mark }) => mark)), [view]);
  return (
    <span aria-hidden className="flex shrink-0 items-center gap-3 text-muted max-[1100px]:hidden">
      {(["decision", "votes", "conflict"] as const)
        .filter((mark) => known.has(mark))
        .map((mark) => (
          <span key={mark} className="flex items-center gap-1.5">
            <span className={cx("size-1.5", marks[mark])} />
            {markLabels[mark]}
          </span>
        ))}
    </span>
  );
}

export const momentText = (moment: ReplayMoment | undefined): string =>
  moment ? `${shownLine(moment.who ?? "the run")} ${shownLine(moment.text)}` : "";
