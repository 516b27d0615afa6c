/** The keys of the run's canvas: lanes up and down, moments left and right, and what answers at the cursor. */
import type { KeyboardEvent, RefObject } from "react";
import type { RunCanvas } from "#shared/graph/run-canvas/run-canvas.ts";
import { moveByStep } from "../../features/queue/queue-store.ts";
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

export function useRunCanvasKeys(root: RefObject<HTMLElement | null>, canvas: RunCanvas | null, now: number) {
  return (event: KeyboardEvent): void => {
    const panel = root.current;
    if (!panel || !canvas || event.ctrlKey || event.metaKey) return;
    if (event.target instanceof Element && event.target.closest("input, textarea, [role=menu]")) return;
    const { shown, whole } = canvas;
    const step = (shown.to - shown.from) / 8;
    const lane = laneOf(document.activeElement)?.dataset.lane ?? null;
    const handled = ((): boolean => {
      if (event.altKey) {
        if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return false;
        const task = laneOf(document.activeElement)?.dataset.changeId;
        return task !== undefined && moveByStep(task, event.key === "ArrowUp" ? -1 : 1);
      }
      switch (event.key) {
        case "ArrowUp":
        case "ArrowDown":
          moveLane(panel, event.key === "ArrowUp" ? -1 : 1);
          return true;
        case "ArrowLeft":
        case "ArrowRight":
          if (event.shiftKey) moveTime(shown, whole, event.key === "ArrowLeft" ? -step : step);
          else moveMark(panel, event.key === "ArrowLeft" ? -1 : 1);
          return true;
        case "+":
        case "=":
        case "-":
          stretchTime(shown, whole, event.key === "-" ? 1.5 : 1 / 1.5, Math.min(now, shown.to));
          return true;
        case "0":
          showAll();
          return true;
        case "n":
          showNow(shown, now);
          return true;
        case "f":
          followLane(lane, canvas);
          return true;
        default:
          return /^[a-z1-9]$/u.test(event.key) && answerAt(panel, event.key);
      }
    })();
    if (!handled) return;
    event.preventDefault();
    event.stopPropagation();
  };
}
