import { functionStarts } from "./function-starts.ts";
import type { Place } from "./place.ts";
import { commentLine, indentOf, isComment, type Language, type SourceLines } from "./source-file.ts";

/** A decision that is told to the panel for good and bad samples alike: the commit follows it, and a planted one does not. */
export interface PlantedDecision {
  readonly title: string;
  readonly reason: string;
}

interface Rule extends PlantedDecision {
  /** What no line of the commit's files may say, else the commit did not follow it. */
  readonly against: RegExp;
  /** A line that does not follow it; null where the language has none. */
  readonly breaks: (language: Language, indent: string) => string | null;
}

const prints: Partial<Readonly<Record<Language, string>>> = {
  c: 'puts("begun");',
  csharp: 'System.Console.WriteLine("begun");',
  elixir: 'IO.puts("begun")',
  go: 'println("begun")',
  java: 'System.out.println("begun");',
  javascript: 'console.log("begun");',
  kotlin: 'println("begun")',
  php: 'echo "begun";',
  python: 'print("begun")',
  ruby: 'puts "begun"',
  rust: 'println!("begun");',
  swift: 'print("begun")',
};

const rules: readonly Rule[] = [
  {
    title: "The code prints nothing",
    reason:
      "What happened is returned, or handed to the log that the caller gives: nothing writes to the output.",
    against:
      /\bconsole\.|\bprint(?:ln|f)?!?\s*\(|\bSystem\.out\b|\bConsole\.Write|\bputs\b|\becho\b|\bIO\.(?:puts|inspect)\b|\bcout\b|\bstdout\b|\bfmt\.F?[Pp]rint/u,
    breaks: (language, indent) => {
      const line = prints[language];
      return line === undefined ? null : `${indent}${line}`;
    },
  },
  {
    title: "Nothing unfinished is merged",
    reason: "What is left to do is a task of its own: no TODO and no FIXME stands in the code.",
    against: /\b(?:TODO|FIXME|XXX)\b/u,
    breaks: (language, indent) => commentLine(language, indent, "TODO: the other cases are left out for now"),
  },
];

const codeOf = (files: readonly SourceLines[]): readonly SourceLines[] =>
  files.filter(({ isTest, language }) => !isTest && language !== "style" && language !== "settings");

/** Those that all files follow, and of which a file has a place for not doing so. */
const rulesFor = (files: readonly SourceLines[]): readonly Rule[] =>
  rules.filter(
    ({ against, breaks }) =>
      files.every(({ lines }) => !lines.some((line) => against.test(line))) &&
      codeOf(files).some(
        ({ lines, language }) => functionStarts(lines, language).length > 0 && breaks(language, "") !== null,
      ),
  );

/** What the panel is told, whether a sample follows it or not. */
export const decisionsFor = (files: readonly SourceLines[]): readonly PlantedDecision[] =>
  rulesFor(files).map(({ title, reason }) => ({ title, reason }));

/** Places in one of the files where a line is put in that does not follow a decision. */
export function decisionNotFollowed(file: SourceLines, files: readonly SourceLines[]): readonly Place[] {
  if (!codeOf(files).includes(file)) return [];
  const fitting = rulesFor(files);
  return functionStarts(file.lines, file.language).flatMap((at, index): Place[] => {
    const rule = fitting[index % Math.max(1, fitting.length)];
    const indent = indentOf(file.lines[at] ?? "");
    const line = rule?.breaks(file.language, indent) ?? null;
    if (rule === undefined || line === null || isComment(file.lines[at] ?? "")) return [];
    return [{ from: at, to: at, lines: [line], what: `"${line.trim()}" though "${rule.title}"` }];
  });
}
