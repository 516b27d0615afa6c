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
  /** The line that was chosen. */
  readonly cursor: LineCursor | null;
  /** @returns false where there is no line that way */
  readonly stepLine: (by: 1 | -1) => boolean;
  /** Starts a comment on a line; null where comments cannot be written. */
  readonly onComment: ((path: string, line: number) => void) | null;
}

/**
 * The line that the keys of a diff are about: it walks through the lines of the new side, from file to file.
 */
export interface LineCursor {
  readonly path: string;
  readonly line: number;
}

/** The lines of one file that are shown, in order; none where it is folded, removed or not read yet. */
interface CursorFile {
  readonly path: string;
  readonly lines: readonly number[];
}

/**
 * The line after the one that the cursor is on, or before it.
 * @param current the file to begin in where there is no cursor
 * @returns null where there is none that way
 */
export function stepLine(
  files: readonly CursorFile[],
  cursor: LineCursor | null,
  by: 1 | -1,
  current: string | null,
): LineCursor | null {
  const at = Math.max(
    0,
    files.findIndex(({ path }) => path === (cursor?.path ?? current)),
  );
  const lines = files[at]?.lines ?? [];
  const path = files[at]?.path ?? "";
  if (cursor === null || cursor.path !== path) {
    const first = lines[0];
    return first === undefined ? endOf(files, at, by) : { path, line: first };
  }
  const next =
    by === 1 ? lines.find((line) => line > cursor.line) : lines.findLast((line) => line < cursor.line);
  return next === undefined ? endOf(files, at, by) : { path, line: next };
}

/** The end that is nearest in the next file that has lines. */
function endOf(files: readonly CursorFile[], from: number, by: 1 | -1): LineCursor | null {
  for (let at = from + by; at >= 0 && at < files.length; at += by) {
    const line = files[at]?.lines.at(by === 1 ? 0 : -1);
    if (line !== undefined) return { path: files[at]?.path ?? "", line };
  }
  return null;
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
  openIn("editor", here.changeId, here.cursor ?? { path: file.path });
  return true;
}

function comment({ cursor, onComment }: FilePlace): boolean {
  if (!cursor || !onComment) return false;
  onComment(cursor.path, cursor.line);
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
    { keys: "k", what: "the previous file", run: step(-1) },
    { keys: "ArrowDown", what: "the next line", run: ({ stepLine }) => stepLine(1) },
    { keys: "ArrowUp", what: "the previous line", run: ({ stepLine }) => stepLine(-1) },
    { keys: "c", what: "comment on the line", run: comment },
    { keys: "e", what: "collapse or expand the file", run: toggleFile },
    { keys: "v", what: "toggle viewed", run: toggleViewed },
    { keys: "o", what: "open the line or the file in the editor", run: openFile },
  ],
};
