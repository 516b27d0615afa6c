/** Dragging a lane by its name, or moving it by a key: to another place among those of its phase and orchestrator. */
import type { MouseEvent, RefObject } from "react";
import { createPortal } from "react-dom";
import { create } from "zustand";
import type { RunCanvas } from "#shared/graph/run-canvas/run-canvas.ts";
import { type Place, queuePlace } from "../../features/queue/queue-bands.ts";
import { move, moveByStep, shownBands } from "../../features/queue/queue-store.ts";
import {
  closest,
  type Drag,
  type DragHandlers,
  nextToPointer,
  type Point,
  usePointerDrag,
} from "../../kit/use-pointer-drag.ts";
import { isRefused } from "../../state/role.ts";

interface Dragged extends Point, LaneTarget {
  readonly changeId: string;
  readonly title: string;
  /** Its row on the canvas. */
  readonly row: string;
}

interface LaneDragState {
  readonly dragged: Dragged | null;
  /** Why the lane that was moved by a key goes no further. */
  readonly refusal: string | null;
}

const useDragged = create<LaneDragState>(() => ({ dragged: null, refusal: null }));
const dragged = (): Dragged | null => useDragged.getState().dragged;
const cancel = (): void => useDragged.setState({ dragged: null });
const nowhere: LaneTarget = { place: null, line: null, reason: null };

/** Shows and speaks why a key did not move a lane; null: it did, or something else is done by now. */
export function sayWhyNot(refusal: string | null): void {
  if (useDragged.getState().refusal !== refusal) useDragged.setState({ refusal });
}

const laneAt = (element: Element | null): HTMLElement | null =>
  closest(element, "[data-lane][data-change-id]");

function targetAt(under: Element | null, { y }: Point, changeId: string): LaneTarget {
  const over = closest(under, "[data-lane]");
  const panel = closest(over, "[data-run-canvas]");
  if (!over || !panel) return nowhere;
  const own = panel.querySelector<HTMLElement>(`[data-lane][data-change-id="${CSS.escape(changeId)}"]`);
  if (!own) return nowhere;
  const inOrder = (): readonly HTMLElement[] =>
    [...panel.querySelectorAll<HTMLElement>("[data-lane]")]
      .map((lane) => ({ lane, top: lane.getBoundingClientRect().top }))
      .sort((one, other) => one.top - other.top)
      .map(({ lane }) => lane);
  return targetOver(own, over, y, inOrder);
}

const laneDrag: Drag = {
  at: (target) => closest(target, "[data-lane-name]") && (laneAt(target)?.dataset.changeId ?? null),
  isTakenUp: () => dragged() !== null,
  isByPointer: () => dragged() !== null,
  takeUp(changeId, at) {
    // What is done, or not begun by anybody, has no place in the queue.
    if (!queuePlace(shownBands(), changeId) || isRefused("queue.move")) return false;
    const lane = document.querySelector<HTMLElement>(`[data-lane][data-change-id="${CSS.escape(changeId)}"]`);
    useDragged.setState({
      refusal: null,
      dragged: {
        changeId,
        title: lane?.getAttribute("aria-label") ?? "",
        row: lane?.dataset.lane ?? "",
        ...at,
        ...nowhere,
      },
    });
    return true;
  },
  moveOver(under, at) {
    const known = dragged();
    if (known) useDragged.setState({ dragged: { ...known, ...at, ...targetAt(under, at, known.changeId) } });
  },
  drop() {
    const known = dragged();
    cancel();
    if (known?.place) void move(shownBands(), known.changeId, known.place);
  },
  cancel,
};

type LaneDragHandlers = DragHandlers & { readonly onClickCapture: (event: MouseEvent) => void };

export function useLaneDrag(): LaneDragHandlers {
  const { handlers, wasDrag } = usePointerDrag(laneDrag);
  return {
    ...handlers,
    onClickCapture(event) {
      // The release of a drag would open the lane.
      if (event.detail === 0 || !wasDrag()) return;
      event.preventDefault();
      event.stopPropagation();
    },
  };
}

interface DraggedLaneProps {
  readonly canvas: RunCanvas;
  readonly panel: RefObject<HTMLElement | null>;
  /** px by which the rows are scrolled. */
  readonly scroll: number;
  /** How much larger the canvas is drawn than its px. */
  readonly zoom: number;
}

/** The dragged lane, its targets and its drop position. Only this is redrawn with the pointer. */
export function DraggedLane({ canvas, panel, scroll, zoom }: DraggedLaneProps) {
  const { dragged: known, refusal } = useDragged();
  // Asked for only while something is dragged: it makes the browser lay out the page at once.
  const top = known ? (panel.current?.getBoundingClientRect().top ?? 0) : 0;
  return (
    <>
      {known && <Band canvas={canvas} row={known.row} scroll={scroll} />}
      {known && known.line !== null && (
        <div
          className="pointer-events-none absolute left-0 z-30 h-0.5 rounded-full bg-accent"
          style={{ top: (known.line - top) / zoom - 1, width: canvas.columns.margin }}
        />
      )}
      {known &&
        // Outside of the canvas, which is zoomed: where the pointer is is said in px of the window.
        createPortal(
          <div
            className="pointer-events-none fixed top-0 left-0 z-50 max-w-96 rounded-md border border-accent bg-raised px-2.5 py-1 shadow-pop"
            style={nextToPointer(known)}
            data-drag-ghost
          >
            <p className="truncate">
              <bdi>{known.title}</bdi>
              {known.place && <span className="text-muted"> · {known.place.priority} priority</span>}
            </p>
            {known.reason !== null && <p className="text-sm text-warning">{known.reason}</p>}
          </div>,
          document.body,
        )}
      <p
        role="status"
        data-lane-refusal
        className={
          refusal === null
            ? "sr-only"
            : // Below it: the number of lanes out of sight.
              "pointer-events-none absolute bottom-9 left-2 z-30 max-w-[calc(100%-160px)] rounded-md border border-warning bg-raised px-2.5 py-1 text-sm text-warning shadow-pop"
        }
      >
        {known?.reason ?? refusal}
      </p>
    </>
  );
}

interface BandProps {
  readonly canvas: RunCanvas;
  readonly row: string;
  readonly scroll: number;
}

/** The lanes among which it can go, where there are others. */
function Band({ canvas: { rows, rowsTop }, row, scroll }: BandProps) {
  const own = rows.find(({ id }) => id === row);
  const band = own
    ? rows.filter(({ phase, orchestrator }) => phase === own.phase && orchestrator === own.orchestrator)
    : [];
  const [first] = band;
  const last = band.at(-1);
  if (!first || !last || band.length === rows.length) return null;
  const top = Math.max(rowsTop, first.y - scroll);
  return (
    <div
      aria-hidden
      data-drop-band
      className="pointer-events-none absolute inset-x-0 z-20 border-y border-accent bg-accent/10"
      style={{ top, height: Math.max(0, last.y + last.height - scroll - top) }}
    />
  );
}

interface LaneTarget {
  readonly place: Place | null;
  /** Where it will lie: y in the window; null where it cannot. */
  readonly line: number | null;
  /** Why it goes no further that way; null where it does. */
  readonly reason: string | null;
}

const topOf = (lane: Element): number => lane.getBoundingClientRect().top;

const isSameBand = (one: HTMLElement, other: HTMLElement): boolean =>
  one.dataset.phase === other.dataset.phase && one.dataset.orchestrator === other.dataset.orchestrator;

const placeOf = (lane: HTMLElement): Place | null => queuePlace(shownBands(), lane.dataset.changeId ?? "");

/** Lanes that it can be placed next to, from top to bottom. */
const bandOf = (lane: HTMLElement, lanes: readonly HTMLElement[]): readonly HTMLElement[] =>
  lanes.filter((one) => isSameBand(one, lane) && placeOf(one) !== null);

/** Before or after a lane. */
function targetNextTo(lane: HTMLElement, isBefore: boolean, reason: string | null): LaneTarget {
  const at = placeOf(lane);
  if (!at) return { place: null, line: null, reason };
  const { top, bottom } = lane.getBoundingClientRect();
  return {
    place: isBefore ? at : { ...at, index: at.index + 1 },
    line: isBefore ? top : bottom,
    reason,
  };
}

/** @param lanes reads all that are seen, from top to bottom: only where it is dragged over lanes of others */
function targetOver(
  own: HTMLElement,
  over: HTMLElement,
  y: number,
  lanes: () => readonly HTMLElement[],
): LaneTarget {
  if (isSameBand(over, own)) {
    const { top, height } = over.getBoundingClientRect();
    return targetNextTo(over, y < top + height / 2, null);
  }
  const by = topOf(over) < topOf(own) ? -1 : 1;
  const band = bandOf(own, lanes());
  const at = topOf(over);
  const nearest =
    by < 0 ? band.find((lane) => topOf(lane) >= at) : band.findLast((lane) => topOf(lane) <= at);
  const edge = by < 0 ? band[0] : band.at(-1);
  if (!nearest) return { place: null, line: null, reason: whyNot(own, over, by) };
  return targetNextTo(nearest, by < 0, nearest === edge ? whyNot(own, over, by) : null);
}

function whyNot(own: HTMLElement, beyond: HTMLElement, by: -1 | 1): string {
  const { orchestrator = "", phase = "" } = own.dataset;
  if (beyond.dataset.orchestrator !== orchestrator)
    return `The task belongs to ${orchestrator} and stays in its lanes.`;
  const other = beyond.dataset.phase ?? "";
  return by < 0
    ? `Phase ${phase} depends on phase ${other} and cannot move further up.`
    : `Phase ${other} depends on phase ${phase}, so this task cannot move further down.`;
}

/** One place up or down among the lanes that are seen. @returns why not; null: it went, false: there was nowhere to go */
export function moveLaneByStep(
  own: HTMLElement,
  by: -1 | 1,
  lanes: readonly HTMLElement[],
): string | null | false {
  const changeId = own.dataset.changeId;
  if (changeId === undefined || placeOf(own) === null) return false;
  if (isRefused("queue.move")) return null;
  const band = bandOf(own, lanes);
  const neighbour = band[band.indexOf(own) + by];
  if (neighbour) {
    const { place } = targetNextTo(neighbour, by < 0, null);
    if (place) void move(shownBands(), changeId, place);
    return null;
  }
  const others = lanes.filter((lane) => !isSameBand(lane, own));
  const beyond =
    by < 0
      ? others.findLast((lane) => topOf(lane) < topOf(own))
      : others.find((lane) => topOf(lane) > topOf(own));
  // At the end of all lanes there is still another priority.
  return beyond ? whyNot(own, beyond, by) : moveByStep(changeId, by) ? null : false;
}
