/** Which pattern of the library is looked at, and by which words the list is narrowed down: kept while the window is open. */
import { create } from "zustand";
import type { PatternView } from "#shared/contract/commands/pattern.ts";
import { useGraph } from "./graph-store.ts";
import { useHost } from "./host-store.ts";
import { useSelection } from "./selection-store.ts";

export const patternPage = "patterns";
/** The branch of the patterns. */
export const patternBookmark = "hox-patterns";

interface PatternLibraryState {
  /** `<category>/<name>`; null: none was chosen yet. */
  readonly selected: string | null;
  readonly words: string;
  readonly state: PatternView["state"] | "all";
  /** Rises with every change by this window: an approval of an unchanged text moves no branch. */
  readonly revision: number;
}

export const usePatternLibrary = create<PatternLibraryState>(() => ({
  selected: null,
  words: "",
  state: "all",
  revision: 0,
}));

export const choosePattern = (selected: string | null): void => usePatternLibrary.setState({ selected });

/** Shows one pattern in the library, whatever is open. */
export function openPattern(id: string): void {
  usePatternLibrary.setState({ selected: id, words: "", state: "all" });
  useSelection.setState({ page: patternPage, dialog: null });
}

export const patternsChanged = (): void =>
  usePatternLibrary.setState(({ revision }) => ({ revision: revision + 1 }));

/** The commit of the branch; null before the first pattern. */
export const usePatternBranch = (): string | null =>
  useGraph((state) => state.graph?.refs.bookmarks[patternBookmark]?.join(" ") ?? null);

/** Another text where the library may be another: the branch moved, something was decided, a run ended and counts. */
export function usePatternMoment(): string {
  const branch = usePatternBranch();
  const revision = usePatternLibrary((state) => state.revision);
  const run = useHost((state) => (state.run ? `${state.run.id} ${state.run.endedAt ?? ""}` : ""));
  return `${branch ?? ""} ${revision} ${run}`;
}

/** How its state is said on screen. */
export const stateLabels: Readonly<Record<PatternView["state"], string>> = {
  approved: "approved",
  "not-approved": "not approved",
  retired: "retired",
};
