/** The part of a check's log that says why it failed. */
import { startOf } from "../text/format-text.ts";

/** Lines of an excerpt, and units of each and of all of them. */
const limits = { lines: 24, line: 240, all: 2_400 } as const;

/** What a log says before each line: colours, the time, and where a part of GitLab's begins or ends. */
const decoration = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is taken away
  /\u001b\[[0-9;?]{0,30}[A-Za-z]/gu,
  /section_(?:start|end):\d{1,12}:[\w.[\]=,-]{0,200}\r?/gu,
  /^\uFEFF?\d{4}-\d\d-\d\dT[\d:.]{8,20}Z (?:\d\d[OE][+ ]?)?/u,
];

const plain = (line: string): string =>
  decoration
    .reduce((text, mark) => text.replace(mark, ""), line)
    .split("\r")
    .findLast((part) => part.trim() !== "")
    ?.trimEnd() ?? "";

/** GitHub marks the step that failed; what follows it is cleaning up. */
const failedStep = /^##\[error\]/u;
const groups = /^##\[(?:group|endgroup|debug)\]/u;

/**
 * The end of a log, up to where it says that it failed.
 * @param log of any length; others' words
 * @returns empty where nothing is in it
 */
export function failureExcerpt(log: string): string {
  const lines = log
    .split("\n")
    .map(plain)
    .filter((line) => line.trim() !== "" && !groups.test(line));
  const failed = lines.findLastIndex((line) => failedStep.test(line));
  const end = failed < 0 ? lines.length : failed + 1;
  const kept: string[] = [];
  let units = 0;
  for (const line of lines.slice(Math.max(0, end - limits.lines), end).toReversed()) {
    const text = startOf(line.replace(failedStep, "Error: "), limits.line);
    units += text.length + 1;
    if (units > limits.all) break;
    kept.unshift(text);
  }
  return kept.join("\n");
}
