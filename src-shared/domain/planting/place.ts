import type { SourceLines } from "./source-file.ts";

/** Replaces some lines of a file by others. */
export interface Place {
  /** Index of the first line that is replaced, from 0. */
  readonly from: number;
  /** Index behind the last one; the same as `from` where lines are only put in. */
  readonly to: number;
  readonly lines: readonly string[];
  /** What is done, in words for a person. */
  readonly what: string;
}

/** Finds where a kind of mistake fits, in the order of the file. Pure and the same each time. */
export type Planter = (file: SourceLines) => readonly Place[];

/** The text of a file in which something was planted. */
export const planted = (file: SourceLines, { from, to, lines }: Place): string =>
  [...file.lines.slice(0, from), ...lines, ...file.lines.slice(to)].join("\n");
