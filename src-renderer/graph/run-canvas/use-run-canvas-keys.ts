/** The keys of the run's canvas: lanes up and down, moments left and right, and what answers at the cursor. */
import type { KeyboardEvent, RefObject } from "react";
import { decisionKeys } from "#shared/contract/cards/answer-options.ts";
import type { RunCanvas } from "#shared/graph/run-canvas/run-canvas.ts";
import { moveByStep } from "../../features/queue/queue-store.ts";
import { type KeyTable, takeKey } from "../../kit/key-table.ts";
import { useHost } from "../../state/host-store.ts";
import { inspect } from "../../state/selection-store.ts";
import { keyOfWorker } from "../../state/worker-key.ts";
import { follow, moveTime, showAll, showNow, stretchTime, useCanvasView } from "./canvas-view-store.ts";

const all = (root: HTMLElement, selector: string): HTMLElement[] => [
  ...root.querySelectorAll<HTMLElement>(selector),
];
const laneOf = (element: Element | null): HTMLElement | null =>
  element?.closest<HTMLElement>("[data-lane]") ?? null;

/** The lane that the focus is in; the first one before it is in any. */
function focusedLane(root: HTMLElement): HTMLElement | null {
  return laneOf(document.activeElement) ?? all(root, "[data-lane]")[0] ?? null;
}

const nameOf = (lane: Element | null | undefined): HTMLElement | null =>
  lane?.querySelector<HTMLElement>("[data-lane-name]") ?? null;

function moveLane(root: HTMLElement, by: -1 | 1): void {
  // In the order in which they are seen.
  const lanes = all(root, "[data-lane]").sort(
    (a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top,
  );
  const at = lanes.indexOf(laneOf(document.activeElement) as HTMLElement);
  const next = at < 0 ? lanes[0] : lanes[Math.min(lanes.length - 1, Math.max(0, at + by))];
  nameOf(next)?.focus({ preventScroll: true });
}

function moveMark(root: HTMLElement, by: -1 | 1): void {
  const lane = focusedLane(root);
  if (!lane) return;
  const stops = [nameOf(lane), ...all(lane, "[data-mark]")].filter((one) => one !== null);
  const at = stops.indexOf(document.activeElement as HTMLElement);
  const next =
    at < 0 ? (by > 0 ? stops[1] : stops[0]) : stops[Math.min(stops.length - 1, Math.max(0, at + by))];
  next?.focus({ preventScroll: true });
}

/** Presses what carries this key on the card at the focused lane, else on the only card there is. */
function answerAt(root: HTMLElement, key: string): boolean {
  const bubbles = all(root, "[data-bubble]");
  const lane = laneOf(document.activeElement)?.dataset.lane;
  const bubble =
    bubbles.find((one) => one.dataset.bubble === lane) ?? (bubbles.length === 1 ? bubbles[0] : null);
  const button = bubble?.querySelector<HTMLButtonElement>(`[data-decision-key="${key}"]:not(:disabled)`);
  button?.click();
  return button != null;
}

/** Keeps a lane in sight and shows its agent beside it; once more: goes along with none. */
function followLane(lane: string | null, { rows }: RunCanvas): void {
  const followed = useCanvasView.getState().followed === lane ? null : lane;
  follow(followed);
  const name = rows.find(({ id }) => id === followed)?.worker;
  const worker = useHost.getState().run?.workers.find((one) => one.name === name);
  if (worker) inspect(worker.changeId ?? keyOfWorker(worker.name));
}

interface CanvasPlace {
  readonly panel: HTMLElement;
  readonly canvas: RunCanvas;
  readonly now: number;
  /** False: the lane has no menu. */
  readonly openMenu: (lane: HTMLElement) => boolean;
}

const pan =
  (by: -1 | 1) =>
  ({ canvas: { shown, whole } }: CanvasPlace): void =>
    moveTime(shown, whole, (by * (shown.to - shown.from)) / 8);

const stretch =
  (by: number) =>
  ({ canvas: { shown, whole }, now }: CanvasPlace): void =>
    stretchTime(shown, whole, by, Math.min(now, shown.to));

function reprioritise(by: -1 | 1): boolean {
  const task = laneOf(document.activeElement)?.dataset.changeId;
  return task !== undefined && moveByStep(task, by);
}

export const runCanvasKeys: KeyTable<CanvasPlace> = {
  place: "On the canvas of a run",
  rows: [
    { keys: "ArrowUp", what: "the lane above", run: ({ panel }) => moveLane(panel, -1) },
    { keys: "ArrowDown", what: "the lane below", run: ({ panel }) => moveLane(panel, 1) },
    { keys: "ArrowLeft", what: "the mark before, on the lane", run: ({ panel }) => moveMark(panel, -1) },
    { keys: "ArrowRight", what: "the next mark, on the lane", run: ({ panel }) => moveMark(panel, 1) },
    { keys: "alt+ArrowUp", what: "move the task up in the queue", run: () => reprioritise(-1) },
    { keys: "alt+ArrowDown", what: "move the task down in the queue", run: () => reprioritise(1) },
    { keys: "shift+ArrowLeft", what: "earlier", run: pan(-1) },
    { keys: "shift+ArrowRight", what: "later", run: pan(1) },
    { keys: "plus", also: ["="], what: "draw time longer", run: stretch(1 / 1.5) },
    { keys: "-", what: "draw time shorter", run: stretch(1.5) },
    { keys: "0", what: "show all of it", run: () => showAll() },
    { keys: "n", what: "go along with now", run: ({ canvas: { shown }, now }) => showNow(shown, now) },
    {
      keys: "f",
      what: "keep this lane in sight and show its agent, or no longer",
      run: ({ canvas }) => followLane(laneOf(document.activeElement)?.dataset.lane ?? null, canvas),
    },
    {
      keys: decisionKeys.approve,
      what: "approve what waits at the lane",
      run: ({ panel }, { key }) => answerAt(panel, key),
    },
    {
      keys: "1",
      also: ["2", "3", "4", "5", "6", "7", "8", "9"],
      to: "9",
      what: "answer the question at the lane",
      run: ({ panel }, { key }) => answerAt(panel, key),
    },
    { keys: "o", what: "open the card at the lane", run: ({ panel }, { key }) => answerAt(panel, key) },
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
  now: number,
  openMenu: CanvasPlace["openMenu"],
) {
  return (event: KeyboardEvent): void => {
    const panel = root.current;
    if (!panel || !canvas) return;
    if (event.target instanceof Element && event.target.closest("[role=menu]")) return;
    takeKey(runCanvasKeys, event, { panel, canvas, now, openMenu });
  };
}
