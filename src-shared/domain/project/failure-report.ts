/**
 * What a report says: that all passed, which tests failed, that something failed without a name, or that it could not run
 * and so proves nothing. Every reader knows the lines of one tool that stay the same from run to run: no times, no line
 * numbers, no folders. It answers null where the report is not the tool's, or not whole: what is named has to be as much
 * as what the tool counts. (docs/decisions/0053-a-check-proves-only-what-ran.md)
 */
import type { BaseOutcome } from "./preflight.ts";
import { all, counting, type Reader, testRunners } from "./test-reports.ts";

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
 * What the result of a finished check proves.
 *
 * @returns `passed` only if tests ran, as far as its report counts them; `could-not-run` even if only some
 *   did not
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

/** The lines in which a runner counts, the numbers in them that ran, and those among these that did not. */
interface Summary {
  readonly line: RegExp;
  readonly ran: RegExp;
  readonly skipped?: RegExp;
}

const summaries: readonly Summary[] = [
  // pytest
  {
    line: /^=* ?(?:no tests ran|\d+ [a-z]+(?:, \d+ [a-z]+)*) in [\d.]+s.*$/gmu,
    ran: /(\d{1,9}) (?:passed|failed|errors?|xfailed|xpassed)\b/gu,
  },
  // unittest: what was skipped is counted as run
  { line: /^Ran \d+ tests? in .*$/gmu, ran: /Ran (\d{1,9})/gu },
  { line: /^(?:OK|FAILED) \(.*skipped=\d{1,9}[^\n]*\)$/gmu, ran: /$^/gu, skipped: /skipped=(\d{1,9})/gu },
  // jest, Vitest
  {
    line: /^ *Tests(?:: | {2}).*(?:total|\(\d+\)|no tests)$|^No test(?: file)?s found, exiting with code \d+$/gmu,
    ran: /(\d{1,9}) (?:passed|failed)\b/gu,
  },
  // Mocha, bun
  { line: /^ *\d+ (?:passing|failing)\b.*$|^ *\d+ (?:pass|fail)$/gmu, ran: /(\d{1,9})/gu },
  // node --test, TAP
  { line: /^(?:ℹ|#) (?:pass|fail) +\d+$|^1\.\.0(?: .*)?$/gmu, ran: /(?:pass|fail) +(\d{1,9})/gu },
  // cargo test
  { line: /^test result: .*$/gmu, ran: /(\d{1,9}) (?:passed|failed);/gu },
  // go test: one for each package with tests
  {
    line: /^(?:ok {2}|FAIL|\? {3})\t.*$/gmu,
    ran: /^(?:ok {2}|FAIL)\t(?!.*\[(?:no tests to run|build failed|setup failed)\])/gu,
  },
  { line: /^\{"Time":.*"Action":"(?:pass|fail|skip)".*$/gmu, ran: /"Action":"(?:pass|fail)".*"Test":/gu },
  // RSpec, Minitest, PHPUnit, ExUnit
  {
    line: /^\d+ examples?, .*$|^No examples found\.$/gmu,
    ran: /^(\d{1,9}) /gu,
    skipped: /(\d{1,9}) pending/gu,
  },
  { line: /^\d+ (?:runs|tests), \d+ assertions, .*$/gmu, ran: /^(\d{1,9}) /gu, skipped: /(\d{1,9}) skips/gu },
  {
    line: /^OK \(\d+ tests?, .*\)$|^Tests: \d+, Assertions: .*$|^No tests executed!$/gmu,
    ran: /(?:OK \(|Tests: )(\d{1,9})/gu,
    skipped: /(?:Skipped|Incomplete): (\d{1,9})/gu,
  },
  {
    line: /^(?:\d+ \w+, )*\d+ tests?, \d+ failures?.*$|^There are no tests to run$/gmu,
    ran: /(\d{1,9}) tests?,/gu,
    skipped: /(\d{1,9}) (?:skipped|excluded|invalid)/gu,
  },
  // Maven, dotnet, ctest, Meson
  {
    line: /^(?:\[\w+\] )?Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+$|^(?:\[\w+\] )?No tests to run\.$|^\[INFO\] --- \S*surefire\S*:test .*$/gmu,
    ran: /Tests run: (\d{1,9})/gu,
    skipped: /Skipped: (\d{1,9})/gu,
  },
  {
    line: /^(?:Failed|Passed)! +- Failed: .*$|^No test is available in .*$/gmu,
    ran: /(?:Failed|Passed): +(\d{1,9})/gu,
  },
  { line: /^\d+% tests passed, .*$|^No tests were found!!!$/gmu, ran: /out of (\d{1,9})$/gu },
  { line: /^(?:Ok|Fail|Unexpected Pass|Expected Fail|Timeout): +\d+$/gmu, ran: /(\d{1,9})$/gu },
];

/**
 * Whether tests ran at all, and what kept some of them from running, as the reports of their runners say it.
 *
 * How many tests ran, as far as runners count them; what was skipped did not run. Of Go each package with tests is one.
 *
 * @param text a report, each line of limited length
 * @returns null where no runner that is known counts in it
 */
function testsRun(text: string): number | null {
  const total = (lines: readonly string[], number: RegExp | undefined): number =>
    number === undefined
      ? 0
      : lines.reduce(
          (sum, line) =>
            sum + [...line.matchAll(number)].reduce((own, [, one = "1"]) => own + Number(one), 0),
          0,
        );
  let ran: number | null = null;
  for (const { line, ran: number, skipped } of summaries) {
    const lines = text.match(line);
    if (lines !== null) ran = (ran ?? 0) + total(lines, number) - total(lines, skipped);
  }
  return ran === null ? null : Math.max(0, ran);
}

/**
 * A line that says that tests did not run, and the message for the user; its first group is the reported
 * name.
 */
type Sign = readonly [line: RegExp, why: (named: string, count: number) => string];

const notLoaded = (named: string, count: number): string =>
  count === 1 ? `${named} could not be loaded` : `${named} and ${count - 1} more could not be loaded`;

const signs: readonly Sign[] = [
  // pytest
  [
    /^!{3,} (?:xdist\.dsession\.)?(?:Interrupted: )?(.{1,120}?) !{3,}$/gmu,
    (named) => `pytest was interrupted: ${named}`,
  ],
  [/^_+ ERROR collecting (\S+) _+$/gmu, notLoaded],
  [/^ERROR (?!.*::)(\S+\.py)(?: - .*)?$/gmu, notLoaded],
  [/^ImportError while loading (conftest) /gmu, notLoaded],
  [/^INTERNALERROR> (.*)$/gmu, () => "pytest itself failed"],
  [/(Fatal Python error: .*)$/gmu, (named) => named],
  [/^.* error: (unrecognized arguments: .*)$/gmu, (named) => `its command is wrong: ${named}`],
  // unittest
  [/^ERROR: (\S+) \(unittest\.loader\._FailedTest\b.*\)$/gmu, notLoaded],
  [/^ERROR: (set[Uu]p(?:Class|Module) \(.*\))$/gmu, (named) => `${named} failed, so its tests did not run`],
  // jest, Vitest, Mocha
  [
    /^ {2}● (Test suite failed to run)$/gmu,
    (_, count) => `${count} test ${count === 1 ? "file" : "files"} could not be loaded`,
  ],
  [/^ *FAIL {2}(\S+) \[ .* \]$/gmu, notLoaded],
  [/^ *(Unhandled Errors?)\b.*$/gmu, () => "an error belongs to no test"],
  [/^ *Exception during run: (.*)$/gmu, (named) => `Mocha loaded no test: ${named}`],
  [/^Error: (No test files found)/gmu, () => "no test file was found"],
  [/^ *\d+\) ("before (?:all|each)" hook).*$/gmu, (named) => `the ${named} failed, so its tests did not run`],
  [/^ {7,}("before (?:all|each)" hook).*:$/gmu, (named) => `the ${named} failed, so its tests did not run`],
  // node --test: a file that ended before it reported its tests
  [/^not ok \d+ - (\S+)\n(?: .*\n){0,8}? +exitCode: \d+$/gmu, notLoaded],
  [/^test at (\S+):1:1\n✖ \S+ \([\d.]+ms\)\n {1,4}'test failed'$/gmu, notLoaded],
  [
    /^(?:ℹ|#) cancelled ([1-9]\d*)$/gmu,
    (named) => `${named} ${named === "1" ? "test was" : "tests were"} cancelled`,
  ],
  // cargo test
  [
    /^ *process didn't exit successfully: .*\((signal: .*)\)$/gmu,
    (named) => `a test program was ended (${named})`,
  ],
  // go test
  [
    /\bFAIL(?:\t|\\t)(\S+) \[(?:build|setup) failed\]/gmu,
    (named, count) => `${named}${count === 1 ? "" : ` and ${count - 1} more`} could not be built`,
  ],
  [/^# (\S+)(?: \[\S+\])?\n\S+\.go:\d+:\d+: /gmu, (named) => `${named} could not be built`],
  [/^(?:\{.*"Output":")?panic: (.*)$/gmu, () => "a panic ended the tests of a package early"],
  // RSpec, Minitest, PHPUnit, ExUnit
  [/^An error occurred while loading (\S+?)\.?$/gmu, notLoaded],
  [/\b(\d{1,9}) errors? occurred outside of examples\b/gmu, () => "a file of examples could not be loaded"],
  [
    /^(?:PHP )?((?:Fatal|Parse) error: .*)$/gmu,
    (named) => `PHP ended early: ${named.replace(/ {2,}/gu, " ")}`,
  ],
  [/^== Compilation error in file (\S+) ==$/gmu, (named) => `${named} does not compile`],
  [/^(--max-failures) reached, aborting test suite$/gmu, () => "it stopped after the first failures"],
  [/^\d+ tests?, .*\b(\d{1,9}) invalid\b/gmu, () => "setup_all failed, so its tests did not run"],
  // Maven, Gradle, dotnet
  [/^\[ERROR\] (COMPILATION ERROR) : *$/gmu, () => "it does not compile"],
  [
    /^\[INFO\] (.+?) \.{2,} SKIPPED$/gmu,
    (named, count) => `Maven did not reach ${named}${count === 1 ? "" : ` and ${count - 1} more`}`,
  ],
  [/^(?:\[ERROR\] )?The (forked VM) terminated\b/gmu, () => "the virtual machine of the tests ended early"],
  [/^> Task (\S*compile\S*) FAILED$/gmu, () => "it does not compile"],
  [/^The (active test run) was aborted\b/gmu, () => "the run of the tests was aborted"],
  // ctest, make, npm
  [
    /^[ \t]*\d+ - (\S+) \((?:Not Run|BAD_COMMAND)\)/gmu,
    (named, count) => `${named}${count === 1 ? "" : ` and ${count - 1} more`} did not run`,
  ],
  [/\*\*\* (No rule to make target .*?)\. +Stop\.$/gmu, (named) => named],
  [/^npm (?:ERR!|error) (Missing script: .*)$/gmu, (named) => named],
];

/** A report that counts some of the suites, and how many of them were skipped. */
const someSuites = /^Test Suites: (.*?)(\d{1,9}) of (\d{1,9}) total$/gmu;

function unreachedSuites(text: string): string | null {
  for (const [, counts = "", ran = "0", total = "0"] of text.matchAll(someSuites)) {
    const skipped = Number(/(\d{1,9}) skipped/u.exec(counts)?.[1] ?? 0);
    const left = Number(total) - Number(ran) - skipped;
    if (left > 0) return `${left} of ${total} test files did not run`;
  }
  return null;
}

/** A cargo command that only checks, perhaps in a subfolder, without another program after it. */
const checkAlone = /^(?:cd [^\s;&|]+ && )?cargo (?:check|clippy) [^;&|\n]+$/u;

/**
 * If a target does not compile, its dependents are not compiled, so their errors are unknown. Tests,
 * benchmarks and examples have no dependents: a cargo command that only checks and continues has checked all
 * others.
 */
function uncompiledCargo(text: string, command: string): string | null {
  const looksAtTheOthers = checkAlone.test(command) && /\s--keep-going(?=\s|$)/u.test(command);
  for (const [, named = ""] of text.matchAll(/^error: could not compile (.*)$/gmu)) {
    const target = named.split(" due to ")[0] ?? named;
    if (
      !looksAtTheOthers ||
      !/ \((?:(?:test|bench|example) "[^"]+"|(?:lib|bin "[^"]+") test)\)$/u.test(target)
    )
      return `${target} does not compile`;
  }
  return null;
}

/** cargo names each target that failed, and at the end all of them if it continued after the first. */
const stoppedCargo = (text: string): string | null =>
  /^error: test failed, to rerun pass /mu.test(text) && !/^error: \d+ targets? failed:$/mu.test(text)
    ? "cargo stopped after the first test program that failed"
    : null;

/** Options that stop a program at its first failure. */
const stopFlag =
  /(?:^|\s)(-x|--exitfirst|--maxfail(?:=| )\d+|--bail(?:[= ]\d+)?|--?fail-?fast|--stop-on-\S+|--max-failures(?:=| )\d+)(?=\s|$)/u;

/**
 * Why tests did not run, for the user; null if nothing says that any did not run.
 *
 * @param text a report of tests that failed, each line of limited length
 * @param command that printed it
 * @param ran how many ran, as far as the report counts them
 */
function whyTestsDidNotRun(text: string, command: string, ran: number | null): string | null {
  for (const [line, why] of signs) {
    const found = [...new Set([...text.matchAll(line)].map(([, named = ""]) => named))];
    const [first] = found;
    if (first !== undefined) return why(first, found.length);
  }
  // Printed after every failure, also after one that the tests have reported.
  if (ran === null && /^rake aborted!$/mu.test(text)) return "rake stopped before any test ran";
  const [, flag] = stopFlag.exec(command) ?? [];
  return (
    unreachedSuites(text) ??
    uncompiledCargo(text, command) ??
    (command.includes("--no-fail-fast") ? null : stoppedCargo(text)) ??
    (flag === undefined ? null : `${flag} ends it at the first failure`)
  );
}

/** Commands that run a linter or a compiler and no test, although they are named as tests are. */
const lintCommand =
  /\b(?:lint\w*|types?|typecheck|type-check|tsc|eslint|biome|prettier|format|fmt|clippy|vet|mypy|pyright|ruff|flake8|svelte-check|astro|phpstan|rubocop|credo|stylelint)\b|\b(?:cargo|deno|nix flake|astro|svelte) check\b/u;
const testCommand =
  /\b(?:tests?|specs?|check|verify|ci|jest|vitest|mocha|ava|pytest|unittest|tox|nox|rspec|phpunit|pest|ctest|nextest)\b/u;

/** Whether a command is meant to run tests, as far as its words say. */
const runsTests = (command: string): boolean => testCommand.test(command) && !lintCommand.test(command);

/** Without line numbers, which change with edits above. */
const finding = (file: string | undefined, message: string | undefined): string => `${file}: ${message}`;

const found = (text: string, line: RegExp, file: 1 | 2 = 1): readonly string[] =>
  all(text, line).map((match) => finding(match[file], match[3 - file]));

/** A tool that counts nothing: what it says of files. `file`: the group with its path, of two. */
const findings =
  (line: RegExp, file: 1 | 2 = 1): Reader =>
  (text) => {
    const names = found(text, line, file);
    return names.length > 0 ? names : null;
  };

const typescript = findings(/^(\S.*?)(?:\(\d+,\d+\):|:\d+:\d+ -) error (TS\d+: .*)$/gmu);

const eslint = counting(/^✖ \d+ problems? \((\d+) errors?, \d+ warnings?\)$/gmu, [1], (text) => {
  const names: string[] = [];
  let file = "";
  for (const line of text.split("\n")) {
    if (/^\S.*\.\w+$/u.test(line)) file = line;
    const [, message] = /^ +\d+:\d+ +error +(\S.*)$/u.exec(line) ?? [];
    if (message !== undefined) names.push(finding(file, message.replace(/ {2,}/gu, " ")));
  }
  return names;
});

const ruff = counting(/^Found (\d+) errors?\b.*\.$/gmu, [1], (text) => [
  ...found(text, /^(\S+?):\d+:\d+: ((?:[A-Z]+\d+|invalid-syntax).*)$/gmu),
  ...found(text, /^((?:[A-Z]+\d+|invalid-syntax).*)\n *--> (\S+?):\d+:\d+$/gmu, 2),
]);

const flake8Findings = findings(/^(\S+?):\d+:\d+: ([A-Z]\d+ .*)$/gmu);
// Those of ruff are written the same, and counted.
const flake8: Reader = (text) => (/^Found \d+ error/mu.test(text) ? null : flake8Findings(text));

/** mypy, gcc, clang and others that write `file:line: error: message`. */
const compiler = findings(/^(\S[^:\n]*):\d+(?::\d+)?: (?:fatal )?error: (.*)$/gmu);

const rustc = findings(/^(error(?:\[\w+\])?: .+)\n +--> (\S+?):\d+:\d+$/gmu, 2);

const goVet = findings(/^(?:vet: )?(\S+\.go):\d+:\d+: (.*)$/gmu);

/**
 * The findings of linters and compilers: file and message of each.
 *
 * All of them, by their output alone.
 */
const linters: readonly Reader[] = [typescript, eslint, ruff, flake8, compiler, rustc, goVet];

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
