import type { Place, Planter } from "./place.ts";
import { blockEnd, type Language, withAnnotations } from "./source-file.ts";

/** Lines that begin a test. */
const begins: Partial<Readonly<Record<Language, RegExp>>> = {
  javascript: /^\s*(?:test|it)(?:\.(?:each|only|concurrent)\b.*)?\(\s*["'`].*$/u,
  python: /^\s*(?:async )?def test_?\w*\(/u,
  go: /^func Test\w*\(/u,
  ruby: /^\s*(?:it\s*\(?["'].*do\s*(?:\|.*\|)?$|def test_\w+|test ["'].*do$)/u,
  php: /^\s*public function test\w*\(/u,
  swift: /^\s*(?:@Test\s+)?func test\w*\(/u,
  c: /^\s*(?:TEST(?:_F|_P|_CASE)?|SCENARIO)\s*\(|^\s*(?:static )?(?:void|int) test_?\w*\(/u,
  elixir: /^\s*test ".*do$/u,
  shell: /^\s*(?:@test\s.*\{|test_?\w*\(\) *\{)\s*$/u,
};
/** Or that say of the line below that it does. */
const marks: Partial<Readonly<Record<Language, RegExp>>> = {
  rust: /^\s*#\[(?:\w+::)?test(?:\(.*\))?\]\s*$/u,
  java: /^\s*@(?:Test|ParameterizedTest)\b.*$/u,
  kotlin: /^\s*@(?:Test|ParameterizedTest)\b.*$/u,
  csharp: /^\s*\[(?:Fact|Theory|Test|TestMethod)\b.*\]\s*$/u,
  php: /^\s*#\[Test\]\s*$/u,
};

/** A test is taken away. Rust has tests in files of any name. */
export const droppedTest: Planter = ({ lines, language }) => {
  const places: Place[] = [];
  let at = 0;
  while (at < lines.length) {
    const place = testAt(lines, language, at);
    if (place !== null) places.push(place);
    at = place === null ? at + 1 : place.to;
  }
  return places;
};

function testAt(lines: readonly string[], language: Language, at: number): Place | null {
  const line = lines[at] ?? "";
  let first = at;
  let head = at;
  if (marks[language]?.test(line)) {
    // Other annotations may stand between the mark and what it marks.
    head = at + 1;
    while (/^\s*(?:@\w|#\[|\[\w)/u.test(lines[head] ?? "")) head += 1;
  } else if (begins[language]?.test(line)) first = withAnnotations(lines, at);
  else return null;
  const name = (lines[head] ?? "").trim();
  const isOneLine = /^\s*(?:test|it)\(.*\);?\s*$/u.test(line);
  const end = isOneLine ? head : blockEnd(lines, head);
  if (end === null) return null;
  return { from: withAnnotations(lines, first), to: end + 1, lines: [], what: `the test "${name}" is gone` };
}
