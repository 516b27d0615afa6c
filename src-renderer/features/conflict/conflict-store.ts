/** Which conflict is shown, and what was written into it and not saved. */
import { create } from "zustand";
import { showPage } from "../../state/selection-store.ts";
import type { Place } from "./places.ts";

export const conflictPage = "conflict";

interface ShownConflict {
  readonly changeId: string;
  /** Null: the first file. */
  readonly path: string | null;
}

export const useShownConflict = create<{ readonly shown: ShownConflict | null }>(() => ({ shown: null }));

/** Opens the files in conflict of a change, over the graph. */
export function showConflict(changeId: string, path: string | null = null): void {
  useShownConflict.setState({ shown: { changeId, path } });
  showPage(conflictPage);
}

export interface Draft {
  readonly text: string;
  readonly places: readonly Place[];
}

const maxEntries = 50;
const drafts = new Map<string, Draft>();

/** By the state of the file that it was written for: another state has other sides. */
export const draftOf = (seen: string): Draft | null => drafts.get(seen) ?? null;

export function keepDraft(seen: string, draft: Draft | null): void {
  drafts.delete(seen);
  if (draft === null) return;
  drafts.set(seen, draft);
  const [oldest] = drafts.keys();
  if (drafts.size > maxEntries && oldest !== undefined) drafts.delete(oldest);
}
