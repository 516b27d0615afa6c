import type { KeyTable } from "../../kit/key-table.ts";

export interface FilesPlace {
  readonly go: (to: number) => void;
  readonly at: number;
  readonly last: number;
  readonly expand: () => void;
  readonly collapse: () => void;
  readonly openFile: () => void;
  readonly openDiff: () => boolean;
}

/** The keys of every tree, and what can be done with the file. */
export const filesKeys: KeyTable<FilesPlace> = {
  place: "In the file browser",
  rows: [
    { keys: "ArrowDown", what: "the next row", run: ({ go, at }) => go(at + 1) },
    { keys: "ArrowUp", what: "the previous row", run: ({ go, at }) => go(at - 1) },
    { keys: "Home", what: "the first row", run: ({ go }) => go(0) },
    { keys: "End", what: "the last row", run: ({ go, last }) => go(last) },
    {
      keys: "ArrowRight",
      what: "expand the folder, or go to its first entry",
      run: ({ expand }) => expand(),
    },
    {
      keys: "ArrowLeft",
      what: "collapse the folder, or go to its parent",
      run: ({ collapse }) => collapse(),
    },
    {
      keys: "Enter",
      what: "open the file in the editor, or expand the folder",
      run: ({ openFile }) => openFile(),
    },
    {
      keys: "d",
      what: "open the file in the diff, if it changed",
      run: ({ openDiff }) => openDiff(),
    },
  ],
};
