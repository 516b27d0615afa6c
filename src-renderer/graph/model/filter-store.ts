/** The revset in the filter box, and what it found. Asked again when the graph has changed. */
import { create } from "zustand";
import type { Failure } from "../../client.ts";
import { client, toFailure } from "../../client.ts";
import { useGraph } from "../../state/graph-store.ts";
import { useSelection } from "../../state/selection-store.ts";

interface FilterState {
  /** Commit ids that the filter names; null without a filter. */
  readonly commits: ReadonlySet<string> | null;
  readonly failure: Failure | null;
  /** The text to which result and failure belong. */
  readonly of: string;
}

export const useFilter = create<FilterState>(() => ({ commits: null, failure: null, of: "" }));

const typingPauseMs = 180;
const changePauseMs = 250;
let newest = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

async function ask(revset: string): Promise<void> {
  const ticket = ++newest;
  if (revset === "") {
    useFilter.setState({ commits: null, failure: null, of: "" });
    return;
  }
  try {
    const { commits } = await client.graph.filter({ revset });
    if (ticket === newest) useFilter.setState({ commits: new Set(commits), failure: null, of: revset });
  } catch (error) {
    // The last good result stays, so that the graph does not jump while a word is half typed.
    if (ticket === newest) useFilter.setState({ failure: toFailure(error), of: revset });
  }
}

function askSoon(pauseMs: number): void {
  clearTimeout(timer);
  timer = setTimeout(() => void ask(useSelection.getState().filterText.trim()), pauseMs);
}

/** Asks whenever what is typed, or the graph, has come to rest. */
export function followFilter(): void {
  useSelection.subscribe((state, before) => {
    if (state.filterText === before.filterText) return;
    if (state.filterText.trim() === "") {
      clearTimeout(timer);
      void ask("");
    } else askSoon(typingPauseMs);
  });

  useGraph.subscribe((state, before) => {
    if (
      state.graph?.operation !== before.graph?.operation &&
      useSelection.getState().filterText.trim() !== ""
    ) {
      askSoon(changePauseMs);
    }
  });
}
