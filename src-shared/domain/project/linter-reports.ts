/** The findings of linters and compilers: file and message of each. */
import { all, type Reader, sum, whole } from "./report-reader.ts";

/** Files and messages without line numbers, which move when somebody works above them. */
const finding = (file: string | undefined, message: string | undefined): string => `${file}: ${message}`;
const oneOrMore = (names: readonly string[]): readonly string[] | null => (names.length > 0 ? names : null);

const typescript: Reader = (text) =>
  oneOrMore(
    all(text, /^(\S.*?)(?:\(\d+,\d+\):|:\d+:\d+ -) error (TS\d+: .*)$/gmu).map(([, file, message]) =>
      finding(file, message),
    ),
  );

const eslint: Reader = (text) => {
  const counts = all(text, /^✖ \d+ problems? \((\d+) errors?, \d+ warnings?\)$/gmu);
  if (counts.length === 0) return null;
  const names: string[] = [];
  let file = "";
  for (const line of text.split("\n")) {
    if (/^\S.*\.\w+$/u.test(line)) file = line;
    const [, message] = /^ +\d+:\d+ +error +(\S.*)$/u.exec(line) ?? [];
    if (message !== undefined) names.push(finding(file, message.replace(/ {2,}/gu, " ")));
  }
  return whole(names, sum(counts, 1));
};

const ruff: Reader = (text) => {
  const counts = all(text, /^Found (\d+) errors?\b.*\.$/gmu);
  if (counts.length === 0) return null;
  const short = all(text, /^(\S+?):\d+:\d+: ((?:[A-Z]+\d+|invalid-syntax).*)$/gmu).map(([, file, message]) =>
    finding(file, message),
  );
  const long = all(text, /^((?:[A-Z]+\d+|invalid-syntax).*)\n *--> (\S+?):\d+:\d+$/gmu).map(
    ([, message, file]) => finding(file, message),
  );
  return whole([...short, ...long], sum(counts, 1));
};

const flake8: Reader = (text) =>
  // Those of ruff are written the same, and counted.
  /^Found \d+ error/mu.test(text)
    ? null
    : oneOrMore(
        all(text, /^(\S+?):\d+:\d+: ([A-Z]\d+ .*)$/gmu).map(([, file, message]) => finding(file, message)),
      );

/** mypy, gcc, clang and others that write `file:line: error: message`. */
const compiler: Reader = (text) =>
  oneOrMore(
    all(text, /^(\S[^:\n]*):\d+(?::\d+)?: (?:fatal )?error: (.*)$/gmu).map(([, file, message]) =>
      finding(file, message),
    ),
  );

const rustc: Reader = (text) =>
  oneOrMore(
    all(text, /^(error(?:\[\w+\])?: .+)\n +--> (\S+?):\d+:\d+$/gmu).map(([, message, file]) =>
      finding(file, message),
    ),
  );

const goVet: Reader = (text) =>
  oneOrMore(
    all(text, /^(?:vet: )?(\S+\.go):\d+:\d+: (.*)$/gmu).map(([, file, message]) => finding(file, message)),
  );

/** All of them, by their output alone. */
export const linters: readonly Reader[] = [typescript, eslint, ruff, flake8, compiler, rustc, goVet];
