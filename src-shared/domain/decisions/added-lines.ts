import { filesOfDiff } from "../diff-files.ts";

/** A line that a change adds, as a git-format diff tells it. */
export interface AddedLine {
  readonly path: string;
  /** 1-based, in the new version of the file. */
  readonly line: number;
  readonly text: string;
}

/** The lines that a git-format diff adds, file by file in its order. */
export const addedLines = (diff: string): readonly AddedLine[] =>
  filesOfDiff(diff).flatMap(({ path, added }) => added.map((one) => ({ path, ...one })));
