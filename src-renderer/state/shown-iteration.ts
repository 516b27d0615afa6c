/** The iteration of a worker that was asked for last: its conversation comes forward, from that iteration on. */
import { create } from "zustand";

interface ShownIteration {
  readonly worker: string | null;
  readonly iteration: number;
  /** Counts, so that the same one can be asked for again. */
  readonly asked: number;
}

export const useShownIteration = create<ShownIteration>(() => ({ worker: null, iteration: 0, asked: 0 }));

export const showIteration = (worker: string, iteration: number): void =>
  useShownIteration.setState(({ asked }) => ({ worker, iteration, asked: asked + 1 }));

/** It is on screen: later visits to the worker do not jump there again. */
export const iterationIsShown = (): void => useShownIteration.setState({ worker: null });
