/** Opens the replay of an active run, paused at a requested moment. */
import { create } from "zustand";
import { client } from "../../client.ts";
import { beginReplay, step } from "../../state/replay.ts";

/** The moment that is on its way (ms since 1970); null: none. */
export const useLookBack = create<{ readonly wanted: number | null }>(() => ({ wanted: null }));

/** Of many moments that are asked for while the run is read, the last one is shown. */
export async function lookBack(run: string, at: number, then?: () => void): Promise<void> {
  const isOpening = useLookBack.getState().wanted !== null;
  useLookBack.setState({ wanted: at });
  if (isOpening) return;
  try {
    const isOpen = await beginReplay(() => client.replay.open({ run }), {
      at: () => useLookBack.getState().wanted ?? at,
    });
    if (isOpen) then?.();
  } finally {
    useLookBack.setState({ wanted: null });
  }
}

/** One moment before now. */
export const stepBack = (run: string): Promise<void> =>
  lookBack(run, Number.MAX_SAFE_INTEGER, () => step(-1));
