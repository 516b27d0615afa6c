/** What is asked for in the filter box, and what it found. Asked again when the graph has changed. */
import { create } from "zustand";
import { readFilterText, touchesFileNamed } from "#shared/domain/revset/parse.ts";
import { searchChanges } from "#shared/graph/search-changes.ts";
import { client, type Failure, toFailure } from "../../client.ts";
import { useGraph } from "../../state/graph-store.ts";
import { useSelection } from "../../state/selection-store.ts";

interface FilterState {
  /** Commit ids that the filter names; null without a filter. */
  readonly commits: ReadonlySet<string> | null;
  readonly failure: Failure | null;
  /** The text to which result and failure belong. */
  readonly of: string;
  /** Paths of files are still looked through. */
  readonly isSearching: boolean;
}

const nothing: FilterState = { commits: null, failure: null, of: "", isSearching: false };

export const useFilter = create<FilterState>(() => nothing);

const typingPauseMs = 180;
const changePauseMs = 250;
let newest = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

type Touching = ReadonlyMap<string, ReadonlySet<string>>;
/** Files matched by the previous search: shown until the new result arrives. */
let touchingBefore: Touching = new Map();

async function ask(typed: string): Promise<void> {
  newest += 1;
  const ticket = newest;
  const isNewest = (): boolean => ticket === newest;
  const asked = readFilterText(typed);
  const of = typed.trim();
  if (asked.kind === "nothing") {
    touchingBefore = new Map();
    useFilter.setState(nothing);
  } else if (asked.kind === "words") await search(asked.words, of, isNewest);
  else
    try {
      const { commits } = await client.graph.filter({ revset: asked.revset });
      if (isNewest()) useFilter.setState({ ...nothing, commits: new Set(commits), of });
    } catch (error) {
      // The last good result stays, so that the graph does not jump while a word is half typed.
      if (isNewest()) useFilter.setState({ failure: moved(toFailure(error), asked.at), of });
    }
}

/** The place of a mistake, in what was typed. */
const moved = (failure: Failure, by: number): Failure => ({
  ...failure,
  start: failure.start === null ? null : failure.start + by,
  end: failure.end === null ? null : failure.end + by,
});

/** Words are found at once in what is on screen; the host is asked for the paths of files. */
async function search(words: readonly string[], of: string, isNewest: () => boolean): Promise<void> {
  const show = (touching: Touching, isSearching: boolean): void => {
    const { graph } = useGraph.getState();
    if (!graph || !isNewest()) return;
    useFilter.setState({ ...nothing, commits: searchChanges(graph, words, touching), of, isSearching });
  };
  show(touchingBefore, true);
  try {
    const found = await Promise.all(
      words.map(async (word) => {
        const { commits } = await client.graph.filter({ revset: touchesFileNamed(word) });
        return [word, new Set(commits)] as const;
      }),
    );
    if (isNewest()) touchingBefore = new Map(found);
    show(new Map(found), false);
  } catch (error) {
    const { text } = toFailure(error);
    if (isNewest())
      useFilter.setState({
        isSearching: false,
        failure: {
          ...toFailure(error),
          text: `File paths could not be searched: ${text}`,
        },
      });
  }
}

function askSoon(pauseMs: number): void {
  clearTimeout(timer);
  timer = setTimeout(() => void ask(useSelection.getState().filterText), pauseMs);
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
