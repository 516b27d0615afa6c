/** The keys of the editor in which a conflict is settled: the help lists them, and CodeMirror takes them. */
import type { KeyBinding } from "@codemirror/view";
import type { KeyTable } from "../../kit/key-table.ts";

interface Writing {
  readonly save: () => void;
  /** False: there is no such place. */
  readonly goTo: (step: 1 | -1) => boolean;
}

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
