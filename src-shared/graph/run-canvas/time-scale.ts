/**
 * Maps time to x between two edges; the visible span grows in steps, so that past events keep their position.
 */
import type { DrawnTime } from "../../domain/timeline/time-spans.ts";
import type { TimeWindow } from "./canvas-input.ts";

/** The shortest time that fills the canvas, and by how much more is drawn once that is full. */
const minSpanMs = 10_000;
const growth = 2;

/** The smallest of 10 s, 20 s, 40 s, … that is at least this many ms: until it is full, nothing moves. */
export function shownSpan(ms: number): number {
  let span = minSpanMs;
  while (span < ms) span *= growth;
  return span;
}

export interface TimeScale {
  /** Drawn time at both edges. */
  readonly from: number;
  readonly to: number;
  /** px of a moment (ms since 1970); beyond either edge for what is not shown. */
  readonly x: (at: number) => number;
}

/** @param left, right px of the window's edges */
export function timeScale(
  { from, to }: TimeWindow,
  { drawn }: Pick<DrawnTime, "drawn">,
  left: number,
  right: number,
): TimeScale {
  const span = Math.max(1, to - from);
  return { from, to, x: (at) => left + ((drawn(at) - from) / span) * (right - left) };
}

/** As long as before, with the present near its end. @param now drawn time */
export function followingNow({ from, to }: TimeWindow, now: number): TimeWindow {
  const span = to - from;
  return { from: now - span * 0.9, to: now + span * 0.1 };
}

/** A window that shows `by` times as much time, with one moment staying where it is. It never leaves the whole. */
export function stretched(window: TimeWindow, whole: TimeWindow, by: number, around: number): TimeWindow {
  const span = Math.min(whole.to - whole.from, Math.max(2_000, (window.to - window.from) * by));
  const share = (around - window.from) / Math.max(1, window.to - window.from);
  return within({ from: around - span * share, to: around + span * (1 - share) }, whole);
}

/** The same span of time, shifted into the whole. */
export function within(window: TimeWindow, whole: TimeWindow): TimeWindow {
  const span = Math.min(window.to - window.from, whole.to - whole.from);
  const from = Math.min(Math.max(window.from, whole.from), whole.to - span);
  return { from, to: from + span };
}
