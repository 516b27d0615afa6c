/** The recorded run shown in place of the present, and its current moment. */
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
