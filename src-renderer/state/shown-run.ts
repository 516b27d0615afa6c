/** Which run is on screen. It decides whether the graph is shown as a user has it for runs, or as without one. */

import { create } from "zustand";
import { type HostStoreState, useHost } from "./host-store.ts";
import { isReplaying, useReplay } from "./replay-store.ts";
import { useSelection } from "./selection-store.ts";

/** The run that has gone on before the eyes of this window: its end takes nothing away. */
let watched: string | null = null;

function shownOf({ run }: Pick<HostStoreState, "run">): string | null {
  if (!run) return null;
  if (run.endedAt === null) watched = run.id;
  return run.id === watched ? run.id : null;
}

const show = (shownRun: string | null): void => {
  if (useSelection.getState().shownRun !== shownRun) useSelection.setState({ shownRun });
};

/** Keeps `shownRun` of the selection true. */
export function followShownRun(): void {
  useHost.subscribe((state) => {
    if (!isReplaying()) show(shownOf(state));
  });
  // Whatever moment of a recording is shown, the window stays as it is; its end brings back the run of now, heard above.
  useReplay.subscribe(({ view }) => {
    if (view !== null) show(view.run);
  });
}

interface ShownIteration {
  readonly worker: string | null;
  readonly iteration: number;
  /** Counts, so that the same one can be asked for again. */
  readonly asked: number;
}

/**
 * The iteration of a worker that was asked for last: its conversation comes forward, from that iteration on.
 */
export const useShownIteration = create<ShownIteration>(() => ({ worker: null, iteration: 0, asked: 0 }));

export const showIteration = (worker: string, iteration: number): void =>
  useShownIteration.setState(({ asked }) => ({ worker, iteration, asked: asked + 1 }));

/** It is on screen: later visits to the worker do not jump there again. */
export const iterationIsShown = (): void => useShownIteration.setState({ worker: null });
