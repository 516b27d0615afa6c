/** The keys of a diff that is read over the graph: through its files, and what is done with the one that they are at. */
import type { FileStat } from "#shared/contract/commands/graph.ts";
import type { KeyTable } from "../../kit/key-table.ts";
import { openIn } from "../../state/open-in.ts";
import { isReplaying } from "../../state/replay-store.ts";
import { isSeen, markOf, setViewed } from "./viewed.ts";

export interface FilePlace {
  readonly changeId: string;
  readonly shown: readonly FileStat[];
  readonly current: string | null;
  readonly viewed: Readonly<Record<string, string>>;
  readonly goTo: (path: string) => void;
  readonly toggle: (path: string) => void;
}

const indexOf = ({ shown, current }: FilePlace): number => shown.findIndex(({ path }) => path === current);

const step =
  (by: -1 | 1) =>
  (here: FilePlace): void => {
    const { shown, goTo } = here;
    goTo(shown[Math.max(0, Math.min(indexOf(here) + by, shown.length - 1))]?.path ?? "");
  };

function toggleViewed(here: FilePlace): boolean {
  const file = here.shown[indexOf(here)];
  if (!file) return false;
  const mark = markOf(file, null);
  setViewed(here.changeId, file.path, isSeen(here.viewed[file.path], mark) ? null : mark);
  return true;
}

function openFile(here: FilePlace): boolean {
  const file = here.shown[indexOf(here)];
  if (!file || file.kind === "removed" || isReplaying()) return false;
  openIn("editor", here.changeId, { path: file.path });
  return true;
}

function toggleFile(here: FilePlace): boolean {
  const file = here.shown[indexOf(here)];
  if (file) here.toggle(file.path);
  return file !== undefined;
}

export const diffKeys: KeyTable<FilePlace> = {
  place: "In a diff",
  rows: [
    { keys: "j", what: "the next file", run: step(1) },
    { keys: "k", what: "the file before", run: step(-1) },
    { keys: "e", what: "fold the file, or unfold it", run: toggleFile },
    { keys: "v", what: "mark the file as viewed, or not", run: toggleViewed },
    { keys: "o", what: "open the file in the editor", run: openFile },
  ],
};
