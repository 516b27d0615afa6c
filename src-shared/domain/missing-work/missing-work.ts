/**
 * Compares what each task added with the result that would land. Bringing tasks together may leave out a whole task and
 * its tests without a conflict and without a red check, so the lines and tests themselves are counted.
 */

import { filesOfDiff } from "../files/diff.ts";
import { counted, startOf, trimEndOf } from "../text/format-text.ts";
import { shownLine, shownName } from "../text/shown-text.ts";

/** The own change of one finished task. */
interface TaskWork {
  readonly worker: string;
  readonly title: string;
  readonly changeId: string;
  /** Git-format, against the change's parents. */
  readonly diff: string;
}

export interface ComparedWork {
  readonly tasks: readonly TaskWork[];
  /** Git-format diffs of the decisions that were applied. */
  readonly decisions: readonly string[];
  /** Git-format diff of all that would land, from what the tasks were built on. */
  readonly result: string;
  /** Whether the plan has one task, by its worker, build on another's: only then may it remove what the other added. */
  readonly buildsOn: (worker: string, other: string) => boolean;
}

/** What of one task is missing from the result. Plain JSON. */
export interface MissingWork {
  readonly worker: string;
  readonly title: string;
  readonly changeId: string;
  /** Tests that it added and that the result does not run. */
  readonly tests: readonly { readonly path: string; readonly name: string }[];
  /** Lines that are missing, of those that it added. Blank lines and lines of signs alone are not counted. */
  readonly missing: number;
  readonly added: number;
  /** The files in which they were, those that miss the most first; of many the first ones. */
  readonly files: readonly { readonly path: string; readonly missing: number; readonly added: number }[];
}

/** A larger share of a task's lines than this is reported; a missing test always is. */
const maxMissingShare = 0.1;

/**
 * Finds the tasks of which a test or more than a tenth of the added lines is missing from the result. A line counts as
 * present wherever in the result it is, indented and quoted in any way, and also where a similar one was written in its
 * place. What a decision removed, or a task that builds on this one, is not missing.
 */
export function missingWork({ tasks, decisions, result, buildsOn }: ComparedWork): readonly MissingWork[] {
  const works = tasks.map((task) => ({ ...task, changes: changesOf(task.diff) }));
  const kept = changesOf(result);
  const removals = decisions.map((diff) => removalsOf(changesOf(diff)));
  const moved = unclaimed(
    kept,
    works.map(({ changes }) => changes),
  );
  return works.flatMap((work) => {
    const later = works.filter(({ worker }) => worker !== work.worker && buildsOn(worker, work.worker));
    const removed = [...removals, ...later.map(({ changes }) => removalsOf(changes))];
    const others = works.filter(({ worker }) => worker !== work.worker).map(({ changes }) => changes);
    const found = missingOf(work, { kept, removed, moved, others });
    const isMissing = found.tests.length > 0 || found.missing > found.added * maxMissingShare;
    return isMissing ? [found] : [];
  });
}

/** How often a line or test occurs more (or less) after a change than before it. Independent of how a diff aligns lines. */
type Net = Map<string, number>;

interface Items {
  readonly lines: Net;
  readonly tests: Net;
}

interface FileChange extends Items {
  readonly isNew: boolean;
}

type Changes = ReadonlyMap<string, FileChange>;

function changesOf(diff: string): Changes {
  const changes = new Map<string, FileChange>();
  for (const { path, at, end } of filesOfDiff(diff)) {
    const text = diff.slice(at, end).split("\n");
    const first = text.findIndex((line) => line.startsWith("@@ "));
    const header = first < 0 ? text : text.slice(0, first);
    const isNew = header.some((line) => line.startsWith("new file mode"));
    const body = first < 0 ? [] : text.slice(first);
    const before = linesAt(body, "-");
    const after = linesAt(body, "+");
    const lines: Net = new Map();
    const tests: Net = new Map();
    for (const line of before) add(lines, comparable(line), -1);
    for (const line of after) add(lines, comparable(line), 1);
    for (const name of testNames(path, before.join("\n"))) add(tests, name, -1);
    for (const name of testNames(path, after.join("\n"))) add(tests, name, 1);
    // Without lines a file that is new is all that there is to count: a picture, or an empty file.
    if (isNew && body.length === 0) lines.set("\0file", 1);
    changes.set(path, { lines, tests, isNew });
  }
  return changes;
}

/** What hunks show of one side, with an empty line between them. */
const linesAt = (body: readonly string[], sign: "-" | "+"): readonly string[] =>
  body.flatMap((line) => {
    if (line.startsWith("@@ ")) return [""];
    return line.startsWith(" ") || line.startsWith(sign) ? [line.slice(1)] : [];
  });

/** What of a line says something, however a formatter writes it; empty for a line of signs alone. */
function comparable(line: string): string {
  if (!/[\p{L}\p{N}]/u.test(line)) return "";
  return trimEndOf(line.replaceAll(/\s+/gu, "").replaceAll(/['`]/gu, '"'), ",;");
}

function add(net: Net, item: string, by: number): void {
  if (item !== "") net.set(item, (net.get(item) ?? 0) + by);
}

/** What a change removed, in whatever file: it may have renamed the file at the same time. */
function removalsOf(changes: Changes): Items {
  const removed: Items = { lines: new Map(), tests: new Map() };
  for (const change of changes.values())
    for (const kind of ["lines", "tests"] as const)
      for (const [item, net] of change[kind]) if (net < 0) add(removed[kind], item, -net);
  return removed;
}

/** What the result gained beyond what tasks added in the same file: there lines of other files may have gone. */
function unclaimed(kept: Changes, works: readonly Changes[]): Items {
  const left: Items = { lines: new Map(), tests: new Map() };
  for (const [path, change] of kept)
    for (const kind of ["lines", "tests"] as const)
      for (const [item, net] of change[kind]) {
        const claimed = Math.max(0, ...works.map((work) => work.get(path)?.[kind].get(item) ?? 0));
        if (net > claimed) add(left[kind], item, net - claimed);
      }
  return left;
}

interface Found {
  readonly kept: Changes;
  readonly removed: readonly Items[];
  /** Each of its lines is found only once. */
  readonly moved: Items;
  readonly others: readonly Changes[];
}

function missingOf(
  { worker, title, changeId, changes }: TaskWork & { readonly changes: Changes },
  found: Found,
): MissingWork {
  const { kept, removed, moved } = found;
  /** What is missing of one file, item by item. */
  const lost = (path: string, kind: "lines" | "tests", net: Net): readonly (readonly [string, number])[] =>
    [...net].flatMap(([item, wanted]) => {
      if (wanted <= 0) return [];
      const explained = sumOf(removed.map((one) => one[kind].get(item) ?? 0));
      const here = Math.max(0, kept.get(path)?.[kind].get(item) ?? 0);
      const elsewhere = Math.min(Math.max(0, wanted - here - explained), moved[kind].get(item) ?? 0);
      if (elsewhere > 0) add(moved[kind], item, -elsewhere);
      const missing = wanted - here - explained - elsewhere;
      return missing > 0 ? [[item, missing] as const] : [];
    });
  const files = [...changes].map(([path, { lines, tests, isNew }]) => {
    const added = sumOf([...lines.values()].filter((net) => net > 0));
    const missing = withoutRewritten(path, lost(path, "lines", lines), found);
    const names = lost(path, "tests", tests).map(([name]) => name);
    // A test in a language that is not read, or a file that tests need.
    const isGone = isNew && isTestFile(path) && tests.size === 0 && missing * 2 > added;
    return { path, missing, added, names: isGone ? [path] : names };
  });
  return {
    ...{ worker, title, changeId },
    tests: files.flatMap(({ path, names }) => names.map((name) => ({ path, name }))),
    missing: sumOf(files.map(({ missing }) => missing)),
    added: sumOf(files.map(({ added }) => added)),
    files: files
      .filter(({ missing, names }) => missing > 0 || names.length > 0)
      .map(({ path, missing, added }) => ({ path, missing, added }))
      .toSorted((a, b) => b.missing - a.missing)
      .slice(0, maxFiles),
  };
}

/** Beyond this no line is compared with others. */
const maxCompared = 500;

/** How many of some missing lines were not rewritten by the integrator or by another task. */
function withoutRewritten(
  path: string,
  lost: readonly (readonly [string, number])[],
  { kept, moved, others }: Found,
): number {
  const all = sumOf(lost.map(([, count]) => count));
  const now = [...(kept.get(path)?.lines ?? [])].flatMap(([item, net]) => (net > 0 ? [item] : []));
  if (lost.length > maxCompared || now.length > maxCompared) return all;
  const used = new Set<string>();
  const rewritten = lost.filter(([item]) => {
    const rewriters = others.filter((other) => (other.get(path)?.lines.get(item) ?? 0) < 0);
    const isFree = (line: string): boolean =>
      (moved.lines.get(line) ?? 0) > 0 ||
      rewriters.some((other) => (other.get(path)?.lines.get(line) ?? 0) > 0);
    const similar = now.find(
      (line) => !used.has(line) && isFree(line) && similarity(item, line) >= minSimilarity,
    );
    if (similar === undefined) return false;
    used.add(similar);
    if ((moved.lines.get(similar) ?? 0) > 0) add(moved.lines, similar, -1);
    return true;
  });
  return all - rewritten.length;
}

/** From this on one line is another one rewritten. */
const minSimilarity = 0.6;

/** The share of pairs of characters that two texts have in common: 0 to 1. */
function similarity(one: string, other: string): number {
  const pairs = (text: string): readonly string[] =>
    Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2));
  const [first, second] = [pairs(one), pairs(other)];
  const left = new Map<string, number>();
  for (const pair of second) add(left, pair, 1);
  const common = first.filter((pair) => {
    const isCommon = (left.get(pair) ?? 0) > 0;
    if (isCommon) add(left, pair, -1);
    return isCommon;
  }).length;
  return first.length + second.length === 0 ? 0 : (2 * common) / (first.length + second.length);
}

/** Files that are named of one task. */
const maxFiles = 50;

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/** How much is missing, in a few words: `2 tests and 12 of 40 lines`. */
export function missingAmount({ tests, missing, added }: MissingWork): string {
  return [
    ...(tests.length === 0 ? [] : [counted(tests.length, "test")]),
    ...(missing === 0 ? [] : [`${missing} of ${counted(added, "line")}`]),
  ].join(" and ");
}

/** All that is known of it in one line, for terminals, agents and reports. */
export function missingLine(work: MissingWork): string {
  const tests = work.tests.map(({ path, name }) =>
    name === path ? shownName(path) : `"${shownLine(name)}" in ${shownName(path)}`,
  );
  const files = work.files.map(({ path, missing, added }) => `${shownName(path)} (${missing} of ${added})`);
  return [
    `${work.worker} "${shownLine(work.title)}": ${missingAmount(work)} missing from the result`,
    ...(tests.length === 0 ? [] : [`tests: ${firstOf(tests)}`]),
    ...(files.length === 0 ? [] : [`lines: ${firstOf(files)}`]),
  ].join("; ");
}

const maxNamed = 10;

const firstOf = (all: readonly string[]): string =>
  all.length <= maxNamed
    ? all.join(", ")
    : `${all.slice(0, maxNamed).join(", ")} and ${all.length - maxNamed} more`;

/** A way in which a language declares a test. */
interface TestRule {
  readonly files: RegExp;
  /** Matches the line that declares the test, together with the next one; the last group that matched is its name. */
  readonly name: RegExp;
  /** What the line or the annotations above it must hold, where the line alone does not make it a test. */
  readonly mark?: RegExp;
}

const code =
  /\.(?:[cm]?[jt]sx?|vue|svelte|rb|php|exs?|dart|lua|hs|sh|bats|bash|jl|r|pl|t|zig|scala|kts?|groovy|swift|gd)$/iu;

/** The rules, by language. A group of tests counts as one too: skipping or removing it takes all of its tests along. */
const rules: readonly TestRule[] = [
  // it("…"), test.each(cases)("…"), describe("…"), test "…" do, @testset "…", subtest '…' => …
  {
    files: code,
    name: /^[ \t]*(?:await\s+)?@?(?:Deno\.)?(?:it|test|fit|specify|describe|suite|context|scenario|feature|property|should|subtest|test_that|testset|testCase|testProperty|testWidgets)(?:\.(?!skip|todo|fixme)\w+)*(?:\([^()\n]*\)|`[^`\n]*`)?\s*[(\s]\s*r?(["'`])((?:\\.|(?!\1).)+)\1/iu,
  },
  // The end of a table of cases: ])("…"
  { files: code, name: /^[ \t]*[\]`][^("'\n]*\)?\s*\(\s*(["'`])((?:\\.|(?!\1).)+)\1/u },
  {
    files: /\.pyi?$/iu,
    name: /^[ \t]*(?:(?:async\s+)?def\s+(test\w*)|class\s+(Test\w*|\w+Tests?|\w+TestCase)\b)/u,
  },
  { files: /\.go$/iu, name: /^(?:func\s+(?:\([^)]*\)\s*)?((?:Test|Fuzz|Example|Benchmark)\w*)\s*\()/u },
  { files: /\.go$/iu, name: /^[ \t]*\w+\.Run\(\s*"([^"]+)"/u },
  {
    files: /\.rs$/iu,
    name: /^[ \t]*(?:#\[[^\n]*\][ \t]*)*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?fn\s+(\w+)/u,
    mark: /#\[(?:\w+::)*(?:test|rstest|test_case|wasm_bindgen_test|quickcheck)\b/u,
  },
  {
    files: /\.(?:java|kts?|groovy|scala)$/iu,
    name: /^[^\n=]*\b(?:void|fun|def)\s+(`[^`]+`|"[^"]+"|\w+)\s*\(/u,
    mark: /@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b|\b(?:void|fun|def)\s+test\w*\s*\(|\bdef\s+"/u,
  },
  {
    files: /\.(?:cs|fs|vb)$/iu,
    name: /^[^\n=]*\b(?:void|Task|ValueTask|Sub|let)\s+(``[^`]+``|\w+)\s*\(/u,
    mark: /[[<](?:[\w.]+,\s*)*(?:Fact|Theory|Test|TestMethod|TestCase|DataTestMethod)\b/u,
  },
  {
    files: /\.swift$/iu,
    name: /^[^\n=]*\bfunc\s+(`[^`]+`|\w+)\s*\(/u,
    mark: /@Test\b|\bfunc\s+test\w*\s*\(/u,
  },
  { files: /\.clj[cs]?$/iu, name: /^[ \t]*\(deftest\s+(?:\^\S+\s+)*([^\s()]+)/u },
  { files: /\.rb$/iu, name: /^[ \t]*def\s+(test_\w+)/u },
  {
    files: /\.php$/iu,
    name: /^[^\n=]*\bfunction\s+(\w+)\s*\(/u,
    mark: /@test\b|#\[(?:\w+\\)*Test\b|\bfunction\s+test\w*\s*\(/u,
  },
  {
    files: /\.(?:c|cc|cpp|cxx|h|hpp|hh|m|mm|cu)$/iu,
    name: /^[ \t]*(?:\w+_)?(?:TEST(?:_F|_P|_CASE|_CASE_METHOD)?|BOOST_\w*TEST_CASE|SCENARIO)\s*\(\s*("[^"\n]+"|[\w:]+(?:\s*,\s*\w+)?)/u,
  },
  { files: /(?:^|\/)CMakeLists\.txt$|\.cmake$/iu, name: /^[ \t]*add_test\s*\(\s*(?:NAME\s+)?([\w.:/-]+)/iu },
];

/** A test is declared at the beginning of a line; some rules take the square of its length. */
const maxLineLength = 300;

/** Annotations, attributes and documentation that belong to what follows. */
const annotation = /^\s*(?:@|#\[|\[<?\w|\*|\/\*\*|\/\/\/|(?:x|f)?(?:pytest|unittest)\.)/u;
const skipMark = /\b(?:skip\w*|ignored?|disabled|todo|pending|xfail|expectedFailure)\b/iu;
const skipsItself = /^\s*(?:(?:[tb]|self|this|ctx|pytest)\.skip\w*\s*\(|skip\b(?!\s*[:=.(\w]))/iu;

/**
 * The names of tests that a text declares, in its order; of a test in a language without names, none. A test that is
 * skipped proves nothing, so it counts as absent. Reads line by line and knows no grammar.
 *
 * @param path decides the language
 * @param text of the whole file or of a part of it
 */
export function testNames(path: string, text: string): readonly string[] {
  const own = rules.filter(({ files }) => files.test(path));
  if (own.length === 0) return [];
  const lines = text.split("\n").map((line) => startOf(line, maxLineLength));
  const found: string[] = [];
  let isComment = false;
  for (const [index, line] of lines.entries()) {
    isComment ||= /^\s*\/\*/u.test(line);
    if (isComment) {
      isComment = !line.includes("*/");
      continue;
    }
    const next = lines[index + 1] ?? "";
    for (const { name, mark } of own) {
      const match = name.exec(`${line}\n${next}`);
      const called = match?.slice(1).findLast((group) => group !== undefined);
      if (!match || called === undefined) continue;
      const above = annotationsAbove(lines, index);
      if (mark && !mark.test(`${above}\n${line}`)) continue;
      const before = line.slice(0, Math.max(0, line.indexOf(called)));
      if (!skipMark.test(`${above}\n${before}`) && !skipsItself.test(next)) found.push(unquoted(called));
      break;
    }
  }
  return found;
}

function annotationsAbove(lines: readonly string[], index: number): string {
  let first = index;
  while (first > 0 && annotation.test(lines[first - 1] ?? "")) first -= 1;
  return lines.slice(first, index).join("\n");
}

const unquoted = (name: string): string => name.replaceAll(/^["`]+|["`]+$/gu, "");

/** Whether a path is where tests or what they need are kept. */
export function isTestFile(path: string): boolean {
  const folders = path.split("/");
  const name = folders.pop() ?? "";
  return (
    folders.some((folder) => /^(?:tests?|specs?|__tests__|e2e)$/iu.test(folder)) ||
    /(?:^|[._-])(?:tests?|specs?)(?:[._-]|$)/iu.test(name) ||
    /[a-z\d](?:Tests?|Spec|TestCase)\.\w+$/u.test(name)
  );
}
