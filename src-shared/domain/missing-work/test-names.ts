/** The tests that a text declares, by name, in many languages. */

import { startOf } from "../text/format-text.ts";

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
