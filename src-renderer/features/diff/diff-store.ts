/** Which change is read over the graph, and how. */
import { create } from "zustand";
import { showPage } from "../../state/selection-store.ts";

export const diffPage = "diff";

interface DiffState {
  readonly changeId: string | null;
  /** To be brought into view, until it is. */
  readonly wanted: string | null;
  /** Finding in it was asked for before it was on screen. */
  readonly isFindWanted: boolean;
  readonly layout: "unified" | "split";
  readonly showsTree: boolean;
}

export const useDiff = create<DiffState>(() => ({
  changeId: null,
  wanted: null,
  isFindWanted: false,
  layout: "split",
  showsTree: true,
}));

/** Opens the diff of a change over the graph. @param path of the file to begin with */
export function showDiff(changeId: string, path: string | null = null): void {
  useDiff.setState({ changeId, wanted: path });
  showPage(diffPage);
}
