/** The reports of programs that run tests: the names of what failed, as often as the program counts. */

/** Reads the report of one tool; null where it is another's, or not whole. */
export type Reader = (text: string) => readonly string[] | null;

/** Every place that fits. */
export const all = (text: string, line: RegExp): readonly RegExpMatchArray[] => [...text.matchAll(line)];
/** What tools counted, over all places and some groups of each. */
const sum = (matches: readonly RegExpMatchArray[], ...groups: readonly number[]): number =>
  matches.reduce(
    (total, match) => total + groups.reduce((own, group) => own + Number(match[group] ?? 0), 0),
    0,
  );
/** Each name once. */
const once = (names: readonly string[]): readonly string[] => [...new Set(names)];
/** As many names as were counted; none counted is nothing that failed. */
const whole = (names: readonly string[], counted: number): readonly string[] | null =>
  counted > 0 && names.length === counted ? names : null;

/** The first group of each place that fits. */
const first =
  (line: RegExp) =>
  (text: string): readonly string[] =>
    all(text, line).map(([, name = ""]) => name);

/**
 * A tool that counts what failed and names each.
 *
 * @param counted where it counts, in some groups
 */
export const counting =
  (counted: RegExp, groups: readonly number[], names: (text: string) => readonly string[]): Reader =>
  (text) => {
    const counts = all(text, counted);
    return counts.length === 0 ? null : whole(names(text), sum(counts, ...groups));
  };

const pytest: Reader = (text) => {
  const counts = all(
    text,
    /^=* ?((?:\d+ (?:failed|passed|skipped|deselected|xfailed|xpassed|warnings?|errors?|rerun)(?:, )?)+) in [\d.]+s/gmu,
  );
  if (counts.length === 0) return null;
  const failed = counts.flatMap(([, line = ""]) => all(line, /(?<!\d)(\d+) (?:failed|errors?)/gu));
  const names = all(
    text,
    /^(?:FAILED|ERROR|(SUBFAIL\w*(?: ?\[.*?\]| ?\(.*?\))*)) ([^[\s]+\[.*?\](?= - |$)|.+?(?= - |$))/gmu,
  );
  return whole(
    names.map(([, part, name = ""]) => (part === undefined ? name : `${name} ${part}`)),
    sum(failed, 1),
  );
};

const unittest: Reader = (text) => {
  const counts = all(text, /^FAILED \(([a-z]+(?: [a-z]+)?=\d+(?:, )?.*)\)$/gmu);
  if (counts.length === 0 || !/^Ran \d+ tests? in /mu.test(text)) return null;
  const counted = counts.flatMap(([, line = ""]) =>
    all(line, /(?:^|, )(?:failures|errors|unexpected successes)=(\d+)/gu),
  );
  return whole(first(/^(?:FAIL|ERROR|UNEXPECTED SUCCESS): (.+)$/gmu)(text), sum(counted, 1));
};

const jest: Reader = (text) => {
  const totals = all(text, /^Tests:(.*)\d total$/gmu);
  if (totals.length === 0) return null;
  const counts = totals.flatMap(([, line = ""]) => all(line, /^ +(\d+) failed, /gu));
  const names: string[] = [];
  let file = "";
  for (const line of text.split("\n")) {
    const [, header] = /^(?:FAIL|PASS) (?:\S+ )*?(\S+\.\w+)(?: \([\d.]+ s\))?$/u.exec(line) ?? [];
    if (header !== undefined) file = header;
    const [, name] = /^ {2}● (.+)$/u.exec(line) ?? [];
    if (name !== undefined && name !== "Console") names.push(`${file} › ${name}`);
  }
  const [suites, tests] = [true, false].map((isSuite) =>
    once(names).filter((name) => name.endsWith("› Test suite failed to run") === isSuite),
  );
  if (!suites || !tests || tests.length !== sum(counts, 1)) return null;
  return suites.length + tests.length > 0 ? [...suites, ...tests] : null;
};

const vitest: Reader = (text) => {
  const counts = all(text, /^ *Tests {2}(?:(\d+) failed)?.*(?:\(\d+\)|no tests)$/gmu);
  const files = all(text, /^ *Test Files {2}(?:(\d+) failed)?.*\(\d+\)$/gmu);
  // An error that belongs to no test has no name that could be known again.
  if (files.length === 0 || /^ *Errors {2}\d+ errors?$/mu.test(text)) return null;
  const names = once(first(/^ *FAIL {2}(\S.*)$/gmu)(text));
  const tests = names.filter((name) => name.includes(" > "));
  return names.length > 0 && tests.length === sum(counts, 1) ? names : null;
};

const mocha: Reader = (text) => {
  const counts = all(text, /^ +(\d+) failing$/gmu);
  const [first] = counts;
  if (first?.index === undefined) return null;
  const names: string[] = [];
  let open: string[] | null = null;
  for (const line of text.slice(first.index).split("\n")) {
    const [, title] = /^ {2}\d+\) (.+)$/u.exec(line) ?? [];
    const [, below] = /^ {7,}(\S.*)$/u.exec(line) ?? [];
    if (title !== undefined) open = [title];
    else if (open !== null && below !== undefined) open.push(below);
    if (open?.at(-1)?.endsWith(":")) {
      names.push(open.join(" > ").slice(0, -1));
      open = null;
    }
  }
  return whole(names, sum(counts, 1));
};

/** Tests with tests below them are counted, and not listed. */
const nodeTest: Reader = (text) => {
  const counts = all(text, /^ℹ fail (\d+)$/gmu);
  if (counts.length === 0) return null;
  const names = all(text, /^test at (.+?):\d+:\d+\n✖ (.+?) \([\d.]+ms\)/gmu).map(
    ([, file = "", name = ""]) => `${file} > ${name}`,
  );
  return names.length > 0 && names.length <= sum(counts, 1) ? names : null;
};

/** The output of Node's runner, tap and tape. tape prints the name of a test above its assertions. */
const tap: Reader = (text) => {
  const counts = all(text, /^# fail +(\d+)$/gmu);
  if (counts.length === 0) return null;
  const names: string[] = [];
  let test = "";
  for (const line of text.split("\n")) {
    const [, title] = /^# (?!Subtest: )(.+)$/u.exec(line) ?? [];
    // Any other remark looks the same; one with a number in it may be another one next time.
    if (title !== undefined) test = /\d/u.test(title) ? "" : title;
    const [, name] = /^ *not ok \d+(?: -)? (?!.*# (?:TODO|SKIP))(.+)$/iu.exec(line) ?? [];
    if (name !== undefined) names.push(test === "" ? name : `${test} > ${name}`);
  }
  return sum(counts, 1) > 0 && names.length >= sum(counts, 1) ? names : null;
};

const bun: Reader = (text) => {
  const counts = all(text, /^ *(\d+) fail$/gmu);
  if (counts.length === 0 || !/^Ran \d+ tests? across /mu.test(text)) return null;
  const names: string[] = [];
  let file = "";
  for (const line of text.split("\n")) {
    const [, header] = /^(\S+\.\w+):$/u.exec(line) ?? [];
    if (header !== undefined) file = header;
    const [, name] = /^(?:\(fail\)|✗) (.+?)(?: \[[\d.]+m?s\])?$/u.exec(line) ?? [];
    if (name !== undefined) names.push(`${file} > ${name}`);
  }
  return whole(once(names), sum(counts, 1));
};

const cargoTests = counting(/^test result: (?:ok|FAILED)\. \d+ passed; (\d+) failed;/gmu, [1], (text) =>
  first(/^failures:\n((?: {4}\S.*\n?)+)/gmu)(text).flatMap((list) =>
    list
      .split("\n")
      .map((line) => line.trim().replace(/ \(line \d+\)$/u, ""))
      .filter((line) => line !== ""),
  ),
);
// A crate whose tests ended by a signal does not report those that did not run.
const cargoTest: Reader = (text) => (text.includes("(signal:") ? null : cargoTests(text));

const goTest: Reader = (text) => {
  if (!/^FAIL\t\S+(?:\t[\d.]+s| \[[a-z ]+\])$/mu.test(text)) return null;
  const names: string[] = [];
  let open: string[] = [];
  for (const line of text.split("\n")) {
    const [, name] = /^ *--- FAIL: (\S+)/u.exec(line) ?? [];
    if (name !== undefined) open.push(name);
    if (/^ok {2}\t/u.test(line)) open = [];
    const [, failed, why] = /^FAIL\t(\S+)(?:\t[\d.]+s| (\[[a-z ]+\]))$/u.exec(line) ?? [];
    if (failed === undefined) continue;
    names.push(...(open.length > 0 ? open : [why ?? "(no test)"]).map((one) => `${failed} ${one}`));
    open = [];
  }
  return names;
};

const goTestJson: Reader = (text) => {
  const names: string[] = [];
  let lines = 0;
  for (const line of text.split("\n")) {
    if (!line.startsWith('{"') || !line.includes('"Action":')) continue;
    lines += 1;
    try {
      const event = JSON.parse(line) as { Action?: unknown; Package?: unknown; Test?: unknown };
      if (event.Action === "fail" && typeof event.Package === "string")
        names.push(`${event.Package} ${typeof event.Test === "string" ? event.Test : "(package)"}`);
    } catch {
      return null;
    }
  }
  return lines > 0 && names.length > 0 ? names : null;
};

const rspec = counting(
  /^\d+ examples?, (\d+) failures?(?:, \d+ pending)?(?:, (\d+) errors? occurred outside of examples)?$/gmu,
  [1, 2],
  (text) =>
    all(text, /^rspec '?(\S+?\.rb)\S*(?: # (.+))?$/gmu).map(
      ([, file = "", name = ""]) => `${file} # ${name}`,
    ),
);

const minitest = counting(
  /^\d+ (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors(?:, \d+ \w+)*$/gmu,
  [1, 2],
  first(/^ *(?:\d+\) )?(?:Failure|Error):\r?\n *([\w:]+#\S.*?)(?: \[.*|:)$/gmu),
);

const phpunit: Reader = (text) => {
  const counts = all(text, /^Tests: \d+, Assertions: \d+((?:, [A-Z][A-Za-z ]+: \d+)*)\.$/gmu);
  if (counts.length === 0) return null;
  const failed = counts.flatMap(([, rest = ""]) => all(rest, /, (?:Errors|Failures): (\d+)/gu));
  return whole(first(/^\d+\) (\S+::\S.*)$/gmu)(text), sum(failed, 1));
};

const exunit = counting(
  /^(?:\d+ \w+, )*\d+ tests?, (\d+) failures?(?:, \d+ \w+)*$/gmu,
  [1],
  first(/^ +\d+\) (.+ \(\S+\))$/gmu),
);

const dotnet = counting(
  /^(?:Failed|Passed)! +- Failed: +(\d+), Passed: +\d+/gmu,
  [1],
  first(/^ +Failed (\S.*?) \[[^\]]*\]$/gmu),
);

const maven = counting(
  /^\[(?:ERROR|WARNING|INFO)\] Tests run: \d+, Failures: (\d+), Errors: (\d+), Skipped: \d+$/gmu,
  [1, 2],
  first(/^\[ERROR\] (?!Tests run)(\S.*?) +(?:-- )?Time elapsed: .*<<< (?:FAILURE|ERROR)!$/gmu),
);

const gradle = counting(/^\d+ tests? completed, (\d+) failed/gmu, [1], first(/^(\S.* > .+) FAILED$/gmu));

const ctest = counting(/^\d+% tests passed, (\d+) tests? failed out of \d+$/gmu, [1], (text) =>
  // What goes to stderr meanwhile may come between its lines.
  first(/^[ \t]+\d+ - (.+?) \([^)]*\)/gmu)(text.slice(text.search(/^The following tests FAILED:$/mu))),
);

const meson: Reader = (text) => {
  const counts = all(text, /^(?:Fail|Unexpected Pass|Timeout): +(\d+)$/gmu);
  if (counts.length === 0 || !/^Ok: +\d+$/mu.test(text)) return null;
  const names = first(/^ *\d+\/\d+ (.+?) +(?:FAIL|ERROR|TIMEOUT|UNEXPECTEDPASS) /gmu)(text);
  return whole(once(names), sum(counts, 1));
};

/** All of them, by their output alone. */
export const testRunners: readonly Reader[] = [
  ...[pytest, unittest, jest, vitest, mocha, nodeTest, tap, bun, cargoTest, goTest, goTestJson],
  ...[rspec, minitest, phpunit, exunit, dotnet, maven, gradle, ctest, meson],
];
