/** A diff as its files and their lines, and the position of notes in it. */
import { parsePatchFiles } from "@pierre/diffs";
import type { FileDiffMetadata } from "@pierre/diffs/react";
import { type NumberedLine, nearestLine } from "#shared/domain/archangel/archangel-records.ts";
import { shownName, shownText } from "#shared/domain/text/shown-text.ts";

/** Where something is said in a diff. */
export interface NotePlace {
  readonly path: string;
  /** Of the new side, from 1 on. */
  readonly line: number;
  /** The text of the line, which may have moved: it is searched for. */
  readonly lineText?: string;
}

/** The lines of the new side that a file shows. */
const linesOf = ({ hunks, additionLines }: FileDiffMetadata): readonly NumberedLine[] =>
  hunks.flatMap(({ additionStart, additionCount, additionLineIndex }) =>
    additionLines
      .slice(additionLineIndex, additionLineIndex + additionCount)
      .map((words, at) => ({ line: additionStart + at, words })),
  );

/** The line of a file that a note is attached to; null where the file does not show it. */
export function lineOfNote(file: FileDiffMetadata, { path, line, lineText }: NotePlace): number | null {
  if (file.name !== shownName(path)) return null;
  if (lineText !== undefined) return nearestLine(linesOf(file), line, shownText(lineText));
  const isShown = file.hunks.some(
    ({ additionStart, additionCount }) => line >= additionStart && line < additionStart + additionCount,
  );
  return isShown ? line : null;
}

/** Numbers of the lines of the new side that the diff of one file shows. */
export const linesShownIn = (diff: string): readonly number[] =>
  [...diff.matchAll(/^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/gmu)].flatMap(([, start, count = "1"]) =>
    Array.from({ length: Number(count) }, (_, at) => Number(start) + at),
  );

/** Places of the files whose content Git calls binary. */
const binariesIn = (diff: string): ReadonlySet<number> =>
  new Set(
    diff
      .split(/^(?=diff --git )/mu)
      .filter((part) => part.startsWith("diff --git "))
      .flatMap((part, at) =>
        /^(?:Binary files .* differ|GIT binary patch)$/mu.test(part.slice(0, 20_000)) ? [at] : [],
      ),
  );

export type ParsedDiff =
  | { kind: "empty" }
  | { kind: "unreadable"; reason: string }
  | {
      kind: "files";
      files: readonly FileDiffMetadata[];
      /** Places of those that are no text. */
      binaries: ReadonlySet<number>;
      lines: number;
    };

/**
 * Which files are closed to limit the number of drawn lines: the longest ones, in any order.
 * @param lines of each file
 */
export function closedFiles(lines: readonly number[], most: number): ReadonlySet<number> {
  const shortestFirst = lines
    .map((count, at) => ({ count, at }))
    .toSorted((one, other) => one.count - other.count);
  const closed = new Set<number>();
  let drawn = 0;
  for (const { count, at } of shortestFirst) {
    drawn += count;
    if (drawn > most) closed.add(at);
  }
  return closed;
}

/** Untrusted text: what cannot be read says so. */
export function parseDiff(diff: string): ParsedDiff {
  if (diff.trim() === "") return { kind: "empty" };
  try {
    const files = parsePatchFiles(diff, { throwOnError: true })
      .flatMap((patch) => patch.files)
      // One line of a page would show a line end in a name as a blank.
      .map((file) => ({
        ...file,
        name: shownName(file.name),
        ...(file.prevName === undefined ? {} : { prevName: shownName(file.prevName) }),
      }));
    if (files.length === 0) return { kind: "unreadable", reason: "it contains no file" };
    return { kind: "files", files, binaries: binariesIn(diff), lines: diff.split("\n").length };
  } catch (error) {
    return { kind: "unreadable", reason: error instanceof Error ? error.message : String(error) };
  }
}
