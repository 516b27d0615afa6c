/**
 * What a report says: that all passed, which tests failed, that something failed without a name, or that it could not run
 * and so proves nothing. Every reader knows the lines of one tool that stay the same from run to run: no times, no line
 * numbers, no folders. It answers null where the report is not the tool's, or not whole: what is named has to be as much
 * as what the tool counts. (docs/decisions/0053-a-check-proves-only-what-ran.md)
 */
import type { BaseOutcome } from "./known-failures.ts";
import { linters } from "./linter-reports.ts";
import { testRunners } from "./test-reports.ts";
import { runsTests, testsRun, whyTestsDidNotRun } from "./tests-run.ts";

/** An agent's program may print what it likes: no line is searched that is long enough to take its time. */
const maxLineLength = 300;
const maxOutputLength = 2_000_000;
const maxNames = 2_000;
const maxReasonLength = 200;

/** What a check printed, and how it ended. */
export interface PrintedReport {
  /** All that it printed, without escapes. */
  readonly output: string;
  /** The folder in which it ran: its name is taken out, so that names are the same elsewhere. */
  readonly workspace: string;
  readonly command: string;
  /** Null where it was killed by a signal. */
  readonly exitCode: number | null;
}

/**
 * What a check that ended by itself proves.
 *
 * @returns `passed` only where tests ran, as far as its report counts them; `could-not-run` also where only some did not
 */
export function readReport({ output, workspace, command, exitCode }: PrintedReport): BaseOutcome {
  const text = output.length > maxOutputLength ? "" : shortLines(output, workspace);
  const couldNotRun = (why: string, failures: readonly string[] | null = null): BaseOutcome => ({
    outcome: "could-not-run",
    failures,
    why: why.slice(0, maxReasonLength),
  });
  const ran = testsRun(text);
  if (exitCode === 0)
    return ran === 0 || (output.trim() === "" && /\brake test\b/u.test(command))
      ? couldNotRun("no test ran")
      : { outcome: "passed", failures: null };
  const tests = namesIn(text, testRunners);
  const failures = tests ?? namesIn(text, linters);
  const why = whyTestsDidNotRun(text, command, ran);
  if (why !== null) return couldNotRun(why, failures);
  // 129 and more, by convention of the shell.
  if (exitCode === null || (exitCode > 128 && exitCode < 160))
    return couldNotRun("it was killed by a signal", failures);
  if (ran === 0 && tests === null) return couldNotRun("no test ran", failures);
  if (tests === null && failures !== null && ran === null && runsTests(command))
    return couldNotRun("it stopped before any test ran", failures);
  return { outcome: "failed", failures };
}

const shortLines = (output: string, workspace: string): string =>
  output
    .replaceAll(`${workspace}/`, "")
    .replaceAll(workspace, ".")
    .split(/\r?\n/u)
    .map((line) => line.slice(0, maxLineLength))
    .join("\n");

function namesIn(text: string, readers: typeof testRunners): readonly string[] | null {
  const names = readers.flatMap((reader) => reader(text) ?? []);
  return names.length === 0 || names.length > maxNames ? null : names;
}
