/** The parts of the window that can be searched, and which of them Ctrl+F is about. */
import { create } from "zustand";

export interface Finder {
  /** What is searched, if it is on screen. */
  readonly frame: () => HTMLElement | null;
  readonly open: () => void;
  /** Goes to the next match, or the one before; opens where it is not open. */
  readonly step: (by: 1 | -1) => void;
}

const useFinders = create<{ readonly all: readonly Finder[] }>(() => ({ all: [] }));

/** @returns how to take it back */
export function addFinder(finder: Finder): () => void {
  useFinders.setState(({ all }) => ({ all: [...all, finder] }));
  return () => useFinders.setState(({ all }) => ({ all: all.filter((one) => one !== finder) }));
}

/** The one that has the focus; else the one that was shown last. */
export function currentFinder(): Finder | null {
  const { all } = useFinders.getState();
  const focused = document.activeElement;
  return all.findLast(({ frame }) => frame()?.contains(focused)) ?? all.at(-1) ?? null;
}
