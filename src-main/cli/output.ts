/** The one way from `hox` to a terminal. What it prints comes from agents, files and other programs as often as from us. */
import { shownLine, shownText } from "#shared/domain/text/shown-text.ts";

/** A line, or several, on standard output. Control characters are shown, never sent. */
export const print = (text = ""): void => {
  process.stdout.write(`${shownText(text)}\n`);
};

/** A piece of a text that comes piece by piece. */
export const printPart = (text: string): void => {
  process.stdout.write(shownText(text));
};

/** A line on standard error, for questions, warnings and errors. */
export const printError = (text: string): void => {
  process.stderr.write(`${shownText(text)}\n`);
};

/** Replaces the line before it in a terminal; a file gets only the last one. */
export const printProgress = (text: string, { isLast = false } = {}): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${shownText(text)}${isLast ? "\n" : ""}`);
  else if (isLast && text !== "") process.stderr.write(`${shownText(text)}\n`);
};

/** One value on one line. Nothing is lost: what a terminal would act on is written as JSON's own escapes. */
export const printJson = (value: unknown): void => {
  process.stdout.write(`${safeJson(value)}\n`);
};

export const safeJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}]/gu,
    // By code unit: JSON knows no others.
    (sign) =>
      Array.from(
        { length: sign.length },
        (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, "0")}`,
      ).join(""),
  );

/** Colours and weights, and nothing else that a terminal understands. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what they begin with
const colour = /(\u001b\[[0-9;]*m)/u;

/**
 * Output of another program with its own colours. That program must escape its texts; jj does so only with
 * colours.
 */
export const printColoured = (text: string): void => {
  const parts = text.split(colour);
  process.stdout.write(`${parts.map((part, at) => (at % 2 === 1 ? part : shownText(part))).join("")}\n`);
};

/** One JSON value where `--json` asks for it, else lines of text. */
export const show = (
  { json }: { readonly json?: boolean },
  value: unknown,
  text: string | readonly string[],
): void => {
  if (json) printJson(value);
  else for (const line of [text].flat()) print(line);
};

/** The first lines of a list that a user reads before a decision; `--json` has all. */
export const firstLines = (lines: readonly string[], max = 20): readonly string[] =>
  lines.length <= max ? lines : [...lines.slice(0, max), `${indentOf(lines)}and ${lines.length - max} more`];

const indentOf = ([line = ""]: readonly string[]): string =>
  line.slice(0, line.length - line.trimStart().length);

/** The lines of a text, a little to the right; empty ones are left out. */
export const indented = (text: string): readonly string[] =>
  text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [`  ${shownLine(line)}`]));

export const dollarText = (microDollars: number): string => `$${(microDollars / 1e6).toFixed(4)}`;

/** As short as possible without being wrong: `0.4 s`, `75 s`, `12 min`. */
export const secondsText = (ms: number): string =>
  ms < 10_000
    ? `${(ms / 1_000).toFixed(1)} s`
    : ms < 600_000
      ? `${Math.round(ms / 1_000)} s`
      : `${Math.round(ms / 60_000)} min`;

/**
 * A header and one line for each row, in columns as wide as their widest cell.
 *
 * @param names number of left-aligned text columns
 */
export function tableLines(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  names: number,
): readonly string[] {
  const cells = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, column) =>
        column < names ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
}

/** Nothing may keep a finished command alive; what is printed is out before. */
export const exitWhenPrinted = (): void => void process.stdout.write("", () => process.exit());
