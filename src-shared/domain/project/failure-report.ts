/**
 * The names of what failed, read from what a check printed. Every reader knows the lines of one tool that stay the same
 * from run to run: no times, no line numbers, no folders. It answers null where the report is not the tool's, or not
 * whole: what is named has to be as much as what the tool counts.
 */
import { linters } from "./linter-reports.ts";
import { testRunners } from "./test-reports.ts";

/** An agent's program may print what it likes: no line is searched that is long enough to take its time. */
const longestLine = 300;
const longestOutput = 2_000_000;
const mostNames = 2_000;

/**
 * The names of the tests, or of the findings of a linter, that failed.
 *
 * @param output all that the check printed, without escapes
 * @param workspace the folder in which it ran: its name is taken out, so that names are the same elsewhere
 * @returns in order, one name as often as it failed; null where no report is known, or where it is not whole
 */
export function readFailures(output: string, workspace: string): readonly string[] | null {
  if (output.length > longestOutput) return null;
  const text = output
    .replaceAll(`${workspace}/`, "")
    .replaceAll(workspace, ".")
    .split(/\r?\n/u)
    .map((line) => line.slice(0, longestLine))
    .join("\n");
  for (const readers of [testRunners, linters]) {
    const read = readers.flatMap((reader) => reader(text) ?? []);
    if (read.length > 0) return read.length > mostNames ? null : read;
  }
  return null;
}
