/** The line that the keys of a diff are about: it walks through the lines of the new side, from file to file. */

export interface LineCursor {
  readonly path: string;
  readonly line: number;
}

/** The lines of one file that are shown, in order; none where it is folded, removed or not read yet. */
export interface CursorFile {
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
