/** The keys of the run's canvas: lanes up and down, moments left and right, and what answers at the cursor. */
import type { KeyboardEvent, RefObject } from "react";
import { decisionKeys } from "#shared/contract/cards/card.ts";
import type { Room } from "#shared/graph/run-canvas/canvas-input.ts";
import type { RunCanvas } from "#shared/graph/run-canvas/run-canvas.ts";
import { type KeyTable, takeKey } from "../../kit/key-table.ts";
import { isRefused } from "../../state/role.ts";
import {
  moveTime,
  scrollRowsTo,
  showAll,
  showNow,
  stretchTime,
  toggleFollow,
  useCanvasView,
} from "./canvas-view-store.ts";
import { farthestScroll } from "./farthest-scroll.ts";
import { inspectWorker } from "./inspect-worker.ts";
import { moveLaneByStep, sayWhyNot } from "./use-lane-drag.tsx";

const all = (root: HTMLElement, selector: string): HTMLElement[] => [
  ...root.querySelectorAll<HTMLElement>(selector),
];
const laneOf = (element: Element | null): HTMLElement | null =>
  element?.closest<HTMLElement>("[data-lane]") ?? null;

const isInSpine = (element: Element | null): boolean => element?.closest("[data-stop]") != null;

/** The lane that the focus is in; the first one before it is in any. */
function focusedLane(root: HTMLElement): HTMLElement | null {
  return laneOf(document.activeElement) ?? lanesOf(root)[0] ?? null;
}

const nameOf = (lane: Element | null | undefined): HTMLElement | null =>
  lane?.querySelector<HTMLElement>("[data-lane-name]") ?? null;

/** In the order in which they are seen. */
const lanesOf = (root: HTMLElement): HTMLElement[] => inOrder(all(root, "[data-lane]"), "top");

/** The items of the spine: history, contracts, decisions, merges, integration, votes, landing. */
const spineOf = (root: HTMLElement): HTMLElement[] =>
  inOrder(all(root, "[data-stop]:not(:disabled)"), "left");

const inOrder = (elements: HTMLElement[], side: "top" | "left"): HTMLElement[] =>
  elements.sort((a, b) => a.getBoundingClientRect()[side] - b.getBoundingClientRect()[side]);

const moved = <T>(stops: readonly T[], at: number, by: -1 | 1): T | undefined =>
  stops[Math.min(stops.length - 1, Math.max(0, at + by))];

/** The lane above or below, and above the first one the spine. */
function moveLane({ panel, canvas, room, scroll }: CanvasPlace, by: -1 | 1): void {
  const lanes = lanesOf(panel);
  const at = lanes.indexOf(laneOf(document.activeElement) as HTMLElement);
  if (by < 0 && isInSpine(document.activeElement)) return;
  if (by < 0 && at === 0) {
    spineOf(panel)[0]?.focus({ preventScroll: true });
    return;
  }
  const next = at < 0 ? lanes[0] : moved(lanes, at, by);
  nameOf(next)?.focus({ preventScroll: true });
  const row = canvas.rows.find(({ id }) => id === next?.dataset.lane);
  if (!row) return;
  const least = row.y + row.height - room.height + 8;
  const most = row.y - canvas.rowsTop;
  if (scroll < least || scroll > most)
    scrollRowsTo(scroll < least ? least : most, farthestScroll(canvas, room));
}

/** Along the lane, or along the spine. At its name a part unfolds to the right, and folds to the left, first. */
function moveMark(root: HTMLElement, by: -1 | 1): void {
  if (isInSpine(document.activeElement)) {
    const stops = spineOf(root);
    moved(stops, stops.indexOf(document.activeElement as HTMLElement), by)?.focus({ preventScroll: true });
    return;
  }
  const lane = focusedLane(root);
  if (!lane) return;
  const name = nameOf(lane);
  const fold = lane.querySelector<HTMLElement>(`[aria-expanded="${by < 0}"]`);
  if (fold && document.activeElement === name) {
    fold.click();
    return;
  }
  const stops = [name, ...all(lane, "[data-mark], [data-merge-conflict]")].filter((one) => one !== null);
  const at = stops.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? (by > 0 ? stops[1] : stops[0]) : moved(stops, at, by);
  next?.focus({ preventScroll: true });
}

/** Presses what carries this key on the card at the focused lane; elsewhere on that of the run, or the only one. */
function answerAt(root: HTMLElement, key: string): boolean {
  const bubbles = all(root, "[data-bubble]");
  const lane = laneOf(document.activeElement)?.dataset.lane ?? "";
  const bubble =
    bubbles.find((one) => one.dataset.bubble === lane) ?? (bubbles.length === 1 ? bubbles[0] : null);
  const button = bubble?.querySelector<HTMLButtonElement>(`[data-decision-key="${key}"]`);
  if (button?.disabled) return isRefused("inbox.answer");
  button?.click();
  return button != null;
}

/** Keeps a lane in sight and shows its agent beside it; once more: goes along with none. */
function followLane(lane: string | null, { rows }: RunCanvas): void {
  toggleFollow(lane);
  const { followed } = useCanvasView.getState();
  const name = rows.find(({ id }) => id === followed)?.worker;
  if (name) inspectWorker(name);
}

interface CanvasPlace {
  readonly panel: HTMLElement;
  readonly canvas: RunCanvas;
  readonly room: Room;
  /** px by which the rows are scrolled. */
  readonly scroll: number;
  /** False: the lane has no menu. */
  readonly openMenu: (lane: HTMLElement) => boolean;
}

const pan =
  (by: -1 | 1) =>
  ({ canvas: { shown, whole } }: CanvasPlace): void =>
    moveTime(shown, whole, (by * (shown.to - shown.from)) / 8);

const stretch =
  (by: number) =>
  ({ canvas: { shown, whole, now } }: CanvasPlace): void =>
    stretchTime(shown, whole, by, Math.min(now, shown.to));

const reprioritise =
  (by: -1 | 1) =>
  ({ panel }: CanvasPlace): boolean => {
    const lane = laneOf(document.activeElement);
    const refusal = lane === null ? false : moveLaneByStep(lane, by, lanesOf(panel));
    if (refusal !== false) sayWhyNot(refusal);
    return refusal !== false;
  };

export const runCanvasKeys: KeyTable<CanvasPlace> = {
  place: "On the canvas of a run",
  rows: [
    {
      keys: "ArrowUp",
      what: "the previous lane; above the first lane, the spine",
      run: (place) => moveLane(place, -1),
    },
    { keys: "ArrowDown", what: "the next lane", run: (place) => moveLane(place, 1) },
    {
      keys: "ArrowLeft",
      what: "the previous mark; on the name of a part, collapse it",
      run: ({ panel }) => moveMark(panel, -1),
    },
    {
      keys: "ArrowRight",
      what: "the next mark; on the name of a collapsed part, expand it",
      run: ({ panel }) => moveMark(panel, 1),
    },
    { keys: "alt+ArrowUp", what: "move the task up in the queue, within its phase", run: reprioritise(-1) },
    {
      keys: "alt+ArrowDown",
      what: "move the task down in the queue, within its phase",
      run: reprioritise(1),
    },
    { keys: "shift+ArrowLeft", what: "scroll to earlier", run: pan(-1) },
    { keys: "shift+ArrowRight", what: "scroll to later", run: pan(1) },
    { keys: "plus", also: ["="], what: "zoom in", run: stretch(1 / 1.5) },
    { keys: "-", what: "zoom out", run: stretch(1.5) },
    { keys: "0", what: "show everything", run: () => showAll() },
    { keys: "n", what: "follow live", run: ({ canvas: { shown, now } }) => showNow(shown, now) },
    {
      keys: "f",
      what: "follow this lane and show its agent, or stop following",
      run: ({ canvas }) => followLane(laneOf(document.activeElement)?.dataset.lane ?? null, canvas),
    },
    {
      keys: decisionKeys.approve,
      what: "approve the card on this lane",
      run: ({ panel }, { key }) => answerAt(panel, key),
    },
    {
      keys: decisionKeys.reject,
      what: "reject the card on this lane",
      run: ({ panel }, { key }) => answerAt(panel, key),
    },
    {
      keys: "1",
      also: ["2", "3", "4", "5", "6", "7", "8", "9"],
      to: "9",
      what: "answer the question on this lane",
      run: ({ panel }, { key }) => answerAt(panel, key),
    },
    { keys: "o", what: "open the card on this lane", run: ({ panel }, { key }) => answerAt(panel, key) },
    {
      keys: "shift+F10",
      also: ["ContextMenu"],
      what: "menu of the lane",
      run: ({ panel, openMenu }) => {
        const lane = focusedLane(panel);
        return lane !== null && openMenu(lane);
      },
    },
  ],
};

export function useRunCanvasKeys(
  root: RefObject<HTMLElement | null>,
  canvas: RunCanvas | null,
  room: Room | null,
  place: Pick<CanvasPlace, "scroll" | "openMenu">,
) {
  return (event: KeyboardEvent): void => {
    const panel = root.current;
    if (!panel || !canvas || !room) return;
    if (event.target instanceof Element && event.target.closest("[role=menu]")) return;
    sayWhyNot(null);
    takeKey(runCanvasKeys, event, { panel, canvas, room, ...place });
  };
}
