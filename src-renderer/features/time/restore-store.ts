/** The moment that everything may be taken back to: an operation, or a time (ms since 1970). */
import { create } from "zustand";
import { endReplay } from "../../state/replay.ts";
import { isReplaying } from "../../state/replay-store.ts";

export const useRestore = create<{ readonly to: string | number | null }>(() => ({ to: null }));

/** What is done to the repository is done to what it is now: a moment that is shown is left for it. */
export function openRestore(to: string | number): void {
  if (isReplaying()) endReplay();
  useRestore.setState({ to });
}

export const closeRestore = (): void => useRestore.setState({ to: null });
