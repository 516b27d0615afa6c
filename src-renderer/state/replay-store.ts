/** The recorded run shown in place of the present, and its current moment. */

import { useEffect, useRef } from "react";
import { create } from "zustand";
import type { ReplayView } from "#shared/contract/commands/replay.ts";

interface ReplayState {
  /** Null: the window shows the present. */
  readonly view: ReplayView | null;
  /** ms since 1970. */
  readonly at: number;
  readonly isPlaying: boolean;
  /** The moment that others are compared with; null: none. */
  readonly marked: number | null;
  /** How many times as fast as it was. */
  readonly pace: number;
  /** False where the graph of the moment is lost. */
  readonly hasGraph: boolean;
}

export const useReplay = create<ReplayState>(() => ({
  view: null,
  at: 0,
  isPlaying: false,
  marked: null,
  pace: 10,
  hasGraph: true,
}));

export const isReplaying = (): boolean => useReplay.getState().view !== null;

/** By the name of the view: its position when a replay started. */
const kept = new Map<string, unknown>();

/** Who leaves a replay finds a view where it was, however far it was moved meanwhile. */
export function useKeptPlace<Place>(name: string, read: () => Place, restore: (place: Place) => void): void {
  const now = useRef({ read, restore });
  now.current = { read, restore };
  useEffect(() => {
    const bringBack = (): void => {
      if (!kept.has(name)) return;
      const place = kept.get(name) as Place;
      kept.delete(name);
      // The graph of now is drawn first, or there is nothing to be moved.
      requestAnimationFrame(() => requestAnimationFrame(() => now.current.restore(place)));
    };
    // Another view was looked at when the replay was left.
    if (!isReplaying()) bringBack();
    return useReplay.subscribe((state, before) => {
      if (state.view && !before.view) kept.set(name, now.current.read());
      if (!state.view && before.view) bringBack();
    });
  }, [name]);
}
