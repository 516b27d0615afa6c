/** Which conflict is shown, and what was written into it and not saved. */

import type { KeyBinding } from "@codemirror/view";
import { create } from "zustand";
import type { KeyTable } from "../../kit/key-table.ts";
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

interface Writing {
  readonly save: () => void;
  /** False: there is no such place. */
  readonly goTo: (step: 1 | -1) => boolean;
}

/**
 * The keys of the editor in which a conflict is settled: the help lists them, and CodeMirror takes them.
 */
export const conflictKeys: KeyTable<Writing> = {
  place: "In a conflict",
  rows: [
    { keys: "mod+Enter", what: "save the result to the change", run: ({ save }) => save() },
    { keys: "alt+ArrowDown", what: "the next unresolved conflict", run: ({ goTo }) => goTo(1) },
    { keys: "alt+ArrowUp", what: "the previous conflict", run: ({ goTo }) => goTo(-1) },
  ],
};

/** `mod+Enter` is `Mod-Enter` there. */
const inEditor = (keys: string): string =>
  keys.replace(/(mod|alt|shift)\+/gu, (_, name: string) => `${name[0]?.toUpperCase()}${name.slice(1)}-`);

export const editorKeys = (here: Writing): readonly KeyBinding[] =>
  conflictKeys.rows.map(({ keys, run }) => ({
    key: inEditor(keys),
    run: () => run(here, noPress) !== false,
  }));

/** What is pressed says nothing more than its row. */
const noPress = { key: "", code: "", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
