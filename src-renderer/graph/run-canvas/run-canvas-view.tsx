import { ArrowDown, ArrowUp, Crosshair, Maximize2, Minus, Plus, SkipForward } from "lucide-react";
import {
  type MouseEvent,
  memo,
  type ReactNode,
  type RefObject,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { labelsHeight, spineHeight } from "#shared/graph/run-canvas/canvas-columns.ts";
import type { Room } from "#shared/graph/run-canvas/canvas-input.ts";
import type { CanvasRow, RunCanvas } from "#shared/graph/run-canvas/run-canvas.ts";
import { IconButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { MenuAt, type MenuEntry, type OpenMenu } from "../../kit/menu.tsx";
import { changeOfKey, keyOf, useGraph } from "../../state/graph-store.ts";
import { useReplay } from "../../state/replay-store.ts";
import { lookAt } from "../../state/selection-store.ts";
import { changeMenu } from "../change/change-menu.tsx";
import { LiveRegion } from "../change/live-region.tsx";
import { BreakBands } from "./canvas-breaks.tsx";
import { CanvasLegend } from "./canvas-legend.tsx";
import { CanvasLines } from "./canvas-lines.tsx";
import {
  moveTime,
  scrollRowsTo,
  showAll,
  showNow,
  stretchTime,
  toggleFollow,
  useCanvasView,
  viewRun,
} from "./canvas-view-store.ts";
import { CardBubble } from "./card-bubble.tsx";
import { farthestScroll } from "./farthest-scroll.ts";
import { Bracket, Decision } from "./overlays.tsx";
import { type RunFacts, type RunOnCanvas, useRunCanvas, waitReasons } from "./run-canvas-input.ts";
import { RunHeader } from "./run-header.tsx";
import { RunLane } from "./run-lane.tsx";
import { useHistory } from "./use-history.ts";
import { DraggedLane, useLaneDrag } from "./use-lane-drag.tsx";
import { useMotion } from "./use-motion.ts";
import { useCanvasZoom, useRoom, zoomStyle } from "./use-room.ts";
import { useRunCanvasKeys } from "./use-run-canvas-keys.ts";

interface RunCanvasViewProps {
  readonly run: RunOnCanvas;
  readonly facts: RunFacts;
}

/** One run at a glance: who does what along time, and what is still ahead. */
export const RunCanvasView = (props: RunCanvasViewProps) => (
  // Another run starts with a fresh canvas.
  <Canvas key={props.run.id} {...props} />
);

function Canvas({ run, facts }: RunCanvasViewProps) {
  const panel = useRef<HTMLElement>(null);
  const room = useRoom(panel);
  const zoom = useCanvasZoom();
  const canvas = useRunCanvas(facts, room);
  const latest = useRef(canvas);
  latest.current = canvas;
  const motion = useMotion(canvas);
  const scroll = useScroll(canvas, room);
  const history = useHistory(run.onto, run.landed?.bookmark ?? null);
  const { openMenu, onContextMenu, menu } = useLaneMenu();
  const onKeyDown = useRunCanvasKeys(panel, canvas, room, { scroll, openMenu });
  const drag = useLaneDrag();
  useWheel(panel, { canvas, room, scroll, zoom });
  useEffect(() => {
    viewRun(run.id);
  }, [run.id]);
  const isPast = useReplay(({ view }) => view !== null);
  return (
    <section
      ref={panel}
      aria-label="Graph"
      data-run-canvas
      // biome-ignore lint/a11y/noNoninteractiveTabindex: its keys move along lanes and moments
      tabIndex={0}
      data-motion={motion}
      style={zoomStyle(zoom)}
      className="run-canvas relative size-full overflow-hidden outline-none after:pointer-events-none after:absolute after:inset-0 after:z-30 in-data-[input=keys]:focus-visible:after:shadow-[inset_0_0_0_2px_var(--accent)]"
      onKeyDown={onKeyDown}
      onContextMenu={onContextMenu}
      {...drag}
    >
      {canvas && room && (
        <>
          <Backdrop canvas={canvas} isPast={isPast} isOver={run.endedAt !== null} />
          <BreakBands canvas={canvas} />
          <Lanes canvas={canvas} run={run} width={room.width} scroll={scroll} />
          <RunHeader canvas={canvas} run={run} history={history} isOverRows={scroll > 0} />
          <LanesOutOfSight canvas={canvas} room={room} scroll={scroll} />
          {motion === "fades" && <Veil left={canvas.columns.margin} />}
          {isPast && <PastFrame />}
          <DraggedLane canvas={canvas} panel={panel} scroll={scroll} zoom={zoom} />
          <Controls latest={latest} />
          <div
            aria-hidden
            className="notice-start pointer-events-none absolute inset-y-0 left-0"
            style={{ width: canvas.columns.margin }}
          />
        </>
      )}
      {menu}
      <LiveRegion />
    </section>
  );
}

interface LanesProps {
  readonly canvas: RunCanvas;
  readonly run: RunOnCanvas;
  /** px of the canvas. */
  readonly width: number;
  /** px by which they are scrolled. */
  readonly scroll: number;
}

/** The lanes from top to bottom, the lines between them, and what is drawn over them. */
function Lanes({ canvas, run, width, scroll }: LanesProps) {
  const { rows, links, messages, brackets, decisions, bubbles, columns } = canvas;
  const notStarted = useMemo(() => waitReasons(run), [run]);
  return (
    <div className="absolute inset-0 isolate overflow-hidden">
      <div className="absolute inset-x-0 h-full" style={{ top: -scroll }}>
        {rows.map((row) => (
          <RunLane
            key={row.id}
            row={row}
            margin={columns.margin}
            notStarted={row.hasStarted || row.isFinished ? "" : (notStarted[row.id] ?? "not started")}
          />
        ))}
        <CanvasLines rows={rows} links={links} messages={messages} />
        {brackets.map((bracket) => (
          <Bracket key={bracket.id} bracket={bracket} width={width} />
        ))}
        {decisions.map((bar) => (
          <Decision key={bar.decision.card ?? bar.decision.id} bar={bar} width={width} />
        ))}
        {bubbles.map((bubble) => bubble.row !== null && <CardBubble key={bubble.card} bubble={bubble} />)}
      </div>
    </div>
  );
}

interface LanesOutOfSightProps {
  readonly canvas: RunCanvas;
  readonly room: Room;
  readonly scroll: number;
}

/** Lanes above and below what is seen, and whether a card waits at one of them; beside their names, and a click leads there. */
function LanesOutOfSight({ canvas, room, scroll }: LanesOutOfSightProps) {
  const above = canvas.rows.filter(({ y, height }) => y + height / 2 < canvas.rowsTop + scroll);
  const below = canvas.rows.filter(({ y, height }) => y + height / 2 > room.height + scroll);
  const waits = new Set(canvas.bubbles.map(({ row }) => row));
  const chip = (rows: readonly CanvasRow[], side: "above" | "below"): ReactNode => {
    const first = side === "above" ? rows.at(-1) : rows[0];
    if (!first) return null;
    const asking = rows.filter(({ id }) => waits.has(id));
    const target = asking[0] ?? first;
    return (
      <button
        type="button"
        tabIndex={-1}
        data-out-of-sight={side}
        onClick={() =>
          scrollRowsTo(
            target.y + target.height / 2 - (canvas.rowsTop + room.height) / 2,
            farthestScroll(canvas, room),
          )
        }
        className={cx(
          "absolute z-20 flex items-center gap-1 rounded-full border bg-raised px-2 text-xs leading-5 shadow-pop",
          asking.length > 0 ? "border-warning text-warning" : "text-muted",
          side === "below" && "notice-bottom bottom-2",
        )}
        style={{ left: canvas.columns.margin + 8, ...(side === "above" ? { top: canvas.rowsTop + 4 } : {}) }}
      >
        {side === "above" ? <ArrowUp size={12} aria-hidden /> : <ArrowDown size={12} aria-hidden />}
        {rows.length} more {side}
        {asking.length > 0 && ` · ${asking.length === 1 ? "1 waits" : `${asking.length} wait`}`}
      </button>
    );
  };
  return (
    <>
      {chip(above, "above")}
      {chip(below, "below")}
    </>
  );
}

const laneOf = (element: EventTarget | Element | null): HTMLElement | null =>
  element instanceof Element ? element.closest<HTMLElement>("[data-lane]") : null;

const followEntry = (lane: string): MenuEntry => {
  const isFollowed = useCanvasView.getState().followed === lane;
  return {
    label: isFollowed ? "Stop following this lane" : "Follow this lane",
    icon: <Crosshair size={14} />,
    keys: "f",
    onSelect: () => toggleFollow(lane),
  };
};

interface LaneMenu {
  /** Opens the menu of a lane; false: it has no change yet, and nothing can be done with it. */
  readonly openMenu: (lane: HTMLElement) => boolean;
  readonly onContextMenu: (event: MouseEvent) => void;
  readonly menu: ReactNode;
}

/** The menu of a lane: that of its change, by the mouse and by keys. */
function useLaneMenu(): LaneMenu {
  const [open, setOpen] = useState<OpenMenu | null>(null);
  const openAt = (lane: HTMLElement, at: OpenMenu["at"]): boolean => {
    const { graph } = useGraph.getState();
    const { changeId } = lane.dataset;
    const change = graph && changeId !== undefined ? changeOfKey(graph, changeId) : null;
    if (!change) return false;
    lookAt(keyOf(change));
    setOpen({ at, entries: [followEntry(lane.dataset.lane ?? ""), "separator", ...changeMenu(change)] });
    return true;
  };
  return {
    openMenu(lane) {
      const { left, top, height } = lane.getBoundingClientRect();
      return openAt(lane, { x: left + 48, y: top + Math.min(height, 28) });
    },
    onContextMenu(event) {
      const lane = laneOf(event.target);
      if (lane && openAt(lane, { x: event.clientX, y: event.clientY })) event.preventDefault();
    },
    menu: <MenuAt at={open?.at ?? null} entries={open?.entries ?? []} onClose={() => setOpen(null)} />,
  };
}

interface BackdropProps {
  readonly canvas: RunCanvas;
  readonly isPast: boolean;
  readonly isOver: boolean;
}

/** What is ahead has another background; now is between both. A run that is over has nothing ahead. */
function Backdrop({ canvas: { columns }, isPast, isOver }: BackdropProps) {
  const [word, look, line] = isOver
    ? ["ended", "bg-sunken text-muted", "bg-line-strong"]
    : isPast
      ? ["then", "bg-warning-soft text-warning", "bg-warning"]
      : ["now", "bg-text text-surface", "bg-text"];
  return (
    <>
      {!isOver && (
        <div className="canvas-move absolute inset-y-0 right-0 bg-canvas" style={{ left: columns.now }} />
      )}
      {columns.isNowShown && (
        // Below cards that wait, and over the header.
        <div
          data-now
          className={cx("canvas-move pointer-events-none absolute inset-y-0 w-px", line)}
          style={{ left: columns.now }}
        />
      )}
      {columns.isNowShown && (
        <div
          className={cx("canvas-move pointer-events-none absolute top-0 z-[11] w-px", line)}
          style={{ left: columns.now, height: labelsHeight + spineHeight }}
        >
          <span
            className={cx(
              "absolute top-0.5 -translate-x-1/2 rounded-full px-1.5 text-xs leading-[18px] font-medium whitespace-nowrap",
              look,
            )}
          >
            {word}
          </span>
        </div>
      )}
    </>
  );
}

/** What is at new places comes into sight from under it, as one picture; names stay. */
const Veil = ({ left }: { readonly left: number }) => (
  <div
    aria-hidden
    className="unveil pointer-events-none absolute inset-y-0 right-0 z-20 bg-surface"
    style={{ left }}
  />
);

/** A moment of the past: nothing in it can be changed. */
const PastFrame = () => (
  <div
    aria-hidden
    data-past-frame
    className="pointer-events-none absolute inset-0 z-[29] border-2 border-dashed border-warning"
  />
);

/** @param latest the canvas that is shown: it changes every second, and its buttons do not */
const Controls = memo(function Controls({ latest }: { readonly latest: RefObject<RunCanvas | null> }) {
  const isFollowing = useCanvasView((state) => state.isFollowingNow);
  const stretch = (by: number): void => {
    if (!latest.current) return;
    const { shown, whole, now } = latest.current;
    stretchTime(shown, whole, by, Math.min(now, shown.to));
  };
  return (
    <div className="notice-end absolute right-2 bottom-2 z-30 flex rounded-md border bg-raised p-0.5 shadow-pop">
      <IconButton label="Zoom in" keys="plus" icon={<Plus size={14} />} onClick={() => stretch(1 / 1.5)} />
      <IconButton label="Zoom out" keys="-" icon={<Minus size={14} />} onClick={() => stretch(1.5)} />
      <IconButton
        label="Follow live"
        keys="n"
        pressed={isFollowing}
        icon={<SkipForward size={14} />}
        onClick={() => latest.current && showNow(latest.current.shown, latest.current.now)}
      />
      <IconButton label="Show everything" keys="0" icon={<Maximize2 size={14} />} onClick={showAll} />
      <CanvasLegend />
    </div>
  );
});

/** How far the rows are scrolled: as a user left them, or so that the lane that is followed is in sight. */
function useScroll(canvas: RunCanvas | null, room: Room | null): number {
  const { scroll, followed } = useCanvasView();
  if (!canvas || !room) return 0;
  const most = farthestScroll(canvas, room);
  const lane = followed === null ? undefined : canvas.rows.find(({ id }) => id === followed);
  const wanted = lane ? lane.y + lane.height / 2 - (canvas.rowsTop + room.height) / 2 : scroll;
  return Math.min(most, Math.max(0, wanted));
}

/** The wheel moves lanes; with Shift, or sideways, time; with Ctrl it draws time longer and shorter. */
function useWheel(
  panel: RefObject<HTMLElement | null>,
  {
    canvas,
    room,
    scroll,
    zoom,
  }: {
    readonly canvas: RunCanvas | null;
    readonly room: Room | null;
    readonly scroll: number;
    readonly zoom: number;
  },
): void {
  const seen = useRef(scroll);
  seen.current = scroll;
  useEffect(() => {
    const element = panel.current;
    if (!element || !canvas || !room) return;
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault();
      const { shown, whole, columns } = canvas;
      const perPx = (shown.to - shown.from) / (columns.end - columns.start);
      const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
      if (event.ctrlKey) {
        const x = (event.clientX - element.getBoundingClientRect().left) / zoom;
        const at = shown.from + (Math.min(columns.end, Math.max(columns.start, x)) - columns.start) * perPx;
        stretchTime(shown, whole, Math.exp(event.deltaY / 300), at);
      } else if (event.shiftKey || Math.abs(sideways) > Math.abs(event.deltaY))
        moveTime(shown, whole, (sideways / zoom) * perPx);
      else scrollRowsTo(seen.current + event.deltaY / zoom, farthestScroll(canvas, room));
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, [panel, canvas, room, zoom]);
}
