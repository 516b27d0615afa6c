/** How a user looks at the canvas of a run. No event of a run writes here: a view is never taken away. */
import { create } from "zustand";
import type { TimeWindow } from "#shared/graph/run-canvas/canvas-input.ts";
import { followingNow, stretched, within } from "#shared/graph/run-canvas/time-scale.ts";

interface CanvasViewState {
  /** The run that was looked at. */
  readonly run: string | null;
  /** Null: all of its time. */
  readonly window: TimeWindow | null;
  /** Whether a window goes along with the present. */
  readonly isFollowingNow: boolean;
  /** The lane that is kept in sight; null: none. */
  readonly followed: string | null;
  readonly scroll: number;
  /** Parts that a user folded or opened. */
  readonly folded: Readonly<Record<string, boolean>>;
}

const untouched: CanvasViewState = {
  run: null,
  window: null,
  isFollowingNow: true,
  followed: null,
  scroll: 0,
  folded: {},
};

export const useCanvasView = create<CanvasViewState>(() => untouched);

/** Everything there is: all of the time, from the first lane on. */
export const showAll = (): void =>
  useCanvasView.setState({ window: null, isFollowingNow: true, followed: null, scroll: 0 });

/** Another run starts with a fresh view; the same run keeps its view. */
export const viewRun = (run: string): void =>
  useCanvasView.setState((state) => (state.run === run ? state : { ...untouched, run }));

const least = 2_000;

/** Draws `1 / by` times as much time, around a moment. */
export function stretchTime(shown: TimeWindow, whole: TimeWindow, by: number, around: number): void {
  const window = stretched(shown, whole, by, around);
  const isAll = window.to - window.from >= whole.to - whole.from - least / 2;
  useCanvasView.setState({ window: isAll ? null : window, isFollowingNow: isAll });
}

/** Moves the window of time by a number of ms. */
export const moveTime = (shown: TimeWindow, whole: TimeWindow, ms: number): void =>
  useCanvasView.setState({
    window: within({ from: shown.from + ms, to: shown.to + ms }, whole),
    isFollowingNow: false,
  });

/** Keeps the length of what is shown and brings the present to its end. @param now drawn time */
export function showNow(shown: TimeWindow, now: number): void {
  useCanvasView.setState((state) => ({
    isFollowingNow: true,
    window: state.window === null ? null : followingNow(shown, now),
  }));
}

/** Scrolls by hand, which ends following a lane. @param to px, @param most the maximum */
export const scrollRowsTo = (to: number, most: number): void =>
  useCanvasView.setState({ followed: null, scroll: Math.min(Math.max(0, to), Math.max(0, most)) });

/** Keeps a lane in sight; the one that is kept in sight already, no longer. */
export const toggleFollow = (lane: string | null): void =>
  useCanvasView.setState(({ followed }) => ({ followed: followed === lane ? null : lane }));

export const foldPart = (part: string, isFolded: boolean): void =>
  useCanvasView.setState(({ folded }) => ({ folded: { ...folded, [part]: isFolded } }));
