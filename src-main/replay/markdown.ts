/** Markdown with untrusted text escaped. */
import { startOf } from "#shared/domain/text/cut-text.ts";
import { shownLine, shownText } from "#shared/domain/text/shown-text.ts";

/** Of one text. */
const longest = 20_000;

export const list = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join("\n");

/** Enough backticks that the text cannot end the fence. */
const fenceFor = (text: string, least: number): string =>
  "`".repeat(Math.max(least, 1 + Math.max(0, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length))));

export function fenced(text: string, language = "text"): string {
  const shown = shownText(text);
  const cut = startOf(shown, longest);
  const fence = fenceFor(cut, 3);
  const left =
    shown.length > cut.length
      ? `\n\n(and ${(shown.length - cut.length).toLocaleString("en")} more characters)`
      : "";
  return `${fence}${language}\n${cut.replace(/\n$/u, "")}\n${fence}${left}`;
}

/** On one line. */
export function code(text: string): string {
  const shown = shownLine(text);
  if (shown.trim() === "") return "`-`";
  const fence = fenceFor(shown, 1);
  const gap = shown.startsWith("`") || shown.endsWith("`") ? " " : "";
  return `${fence}${gap}${shown}${gap}${fence}`;
}

/** A Markdown table whose cells are escaped: quoted text is in code spans, where a bar needs a backslash. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll(/[\n\r]+/gu, " ").replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
