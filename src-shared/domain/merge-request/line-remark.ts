/** What a judge of finished work says of lines of it. */
import { shownName } from "../text/shown-text.ts";

/** Lines as a judge names them. */
export interface NamedLines {
  readonly path: string;
  /** From 1 on. */
  readonly line: number;
  /** The same as `line` where one line is meant. */
  readonly lastLine: number;
}

export interface LineRemark extends NamedLines {
  /** That the judge read, in which the lines have these numbers. */
  readonly commit: string;
  /** The first line in its own words, by which it is found again. */
  readonly lineText: string;
  readonly text: string;
}

/** `src/api.ts:12` or `src/api.ts:12-15`. */
const formatLineRange = ({ path, line, lastLine }: NamedLines): string =>
  `${shownName(path)}:${line}${lastLine === line ? "" : `-${lastLine}`}`;

/** A summary with its line comments, as one text for readers without the diff. */
export const withLines = (words: string, remarks: readonly LineRemark[]): string =>
  [words.trim(), remarks.map((remark) => `- ${formatLineRange(remark)}: ${remark.text}`).join("\n")]
    .filter((part) => part !== "")
    .join("\n\n");

/**
 * The line that a remark begins with, in its own words.
 * @param text of the file; null: there is none
 * @returns a refusal that says what to do, where there are no such lines
 */
export function lineTextOf(
  text: string | null,
  { path, line, lastLine }: NamedLines,
): { readonly lineText: string } | { readonly refusal: string } {
  const name = shownName(path);
  if (text === null)
    return {
      refusal: `${name} is not a text file in the commit that you judge. Give a path from the root of the repository, or comment without a line.`,
    };
  if (lastLine < line)
    return {
      refusal: `${name}: last_line ${lastLine} comes before line ${line}. Give the first line as line.`,
    };
  const lines = text.replace(/\n$/u, "").split("\n");
  const lineText = lines[line - 1];
  return lineText === undefined || lastLine > lines.length
    ? {
        refusal: `${name} has ${lines.length} ${lines.length === 1 ? "line" : "lines"} in the commit that you judge, and no line ${Math.max(line, lastLine)}. Read the file and give a line that it has, or comment without a line.`,
      }
    : { lineText };
}
