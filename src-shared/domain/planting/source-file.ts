/** A file of a commit, read by lines and without a parser: enough to find where a small mistake fits. */

/** What a language needs to be told apart by here. */
export type Language =
  | "c"
  | "csharp"
  | "elixir"
  | "go"
  | "java"
  | "javascript"
  | "kotlin"
  | "php"
  | "python"
  | "ruby"
  | "rust"
  | "shell"
  | "style"
  | "swift"
  | "settings";

const byEnding: Readonly<Record<string, Language>> = {
  ...all("c", "c h cc cpp cxx hh hpp hxx m mm"),
  ...all("csharp", "cs"),
  ...all("elixir", "ex exs"),
  ...all("go", "go"),
  ...all("java", "java groovy scala"),
  ...all("javascript", "js jsx mjs cjs ts tsx mts cts vue svelte dart"),
  ...all("kotlin", "kt kts"),
  ...all("php", "php"),
  ...all("python", "py pyi"),
  ...all("ruby", "rb rake"),
  ...all("rust", "rs"),
  ...all("shell", "sh bash zsh"),
  ...all("style", "css scss less"),
  ...all("swift", "swift"),
  ...all("settings", "toml yaml yml ini conf"),
};

function all(language: Language, endings: string): Record<string, Language> {
  return Object.fromEntries(endings.split(" ").map((ending) => [ending, language]));
}

/** A file that a commit changes, as it stands there. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** Numbers of the lines that the commit brought, from 1: a mistake in one of them is the commit's own. */
  readonly own: ReadonlySet<number>;
}

/** The same, ready to be looked through. */
export interface SourceLines {
  readonly path: string;
  readonly language: Language;
  readonly isTest: boolean;
  readonly lines: readonly string[];
  readonly own: ReadonlySet<number>;
}

const testPath =
  /(?:^|\/)(?:tests?|specs?|__tests__|androidTest)\/|(?:^|\/)test_[^/]*$|[._-](?:tests?|spec)\.[^/]*$|(?:Tests?|Spec)\.[^/.]*$|_test\.[^/]*$/u;

/** A tool made what is longer; and some expressions that look for a place take the square of a line, or its cube. */
const longestLine = 300;

/** Null for what is no source: texts, data, what a tool made. */
export function sourceLines({ path, text, own }: SourceFile): SourceLines | null {
  const language = byEnding[/\.([^./]+)$/u.exec(path)?.[1]?.toLowerCase() ?? ""];
  if (language === undefined || /[.-]min\.|\.d\.ts$|(?:^|\/)(?:vendor|node_modules|dist)\//u.test(path))
    return null;
  const lines = text.split("\n");
  if (lines.some((line) => line.length > longestLine)) return null;
  return { path, language, isTest: testPath.test(path), lines, own };
}

const commentSigns: Readonly<Record<Language, string>> = {
  ...{ c: "//", csharp: "//", go: "//", java: "//", javascript: "//", kotlin: "//", php: "//" },
  ...{ rust: "//", swift: "//", elixir: "#", python: "#", ruby: "#", shell: "#", settings: "#" },
  style: "",
};

/** A comment on a line of its own. */
export const commentLine = (language: Language, indent: string, words: string): string =>
  language === "style" ? `${indent}/* ${words} */` : `${indent}${commentSigns[language]} ${words}`;

/** Signs before the first one that is none of a space or a tab. */
export const indentOf = (line: string): string => /^[ \t]*/u.exec(line)?.[0] ?? "";

/** Whether a line says nothing that runs. */
export const isComment = (line: string): boolean =>
  /^\s*(?:\/\/|\/\*|\*|#(?!\[|!\[)|--|<!--|"""|''')/u.test(line);

/** Whether a place in a line lies within a string, or behind a comment's sign. Good enough for strings of one line. */
export function isQuoted(line: string, at: number): boolean {
  let open = "";
  for (let index = 0; index < at; index += 1) {
    const sign = line.charAt(index);
    if (sign === "\\") index += 1;
    else if (open !== "") open = sign === open ? "" : open;
    else if (sign === '"' || sign === "'" || sign === "`") open = sign;
    else if (line.startsWith("//", index) && line.charAt(index - 1) !== ":") return true;
  }
  return open !== "";
}

/**
 * The last line of the block that a line opens, by its indentation; null where it has none.
 *
 * @param at index of the line that opens it
 */
export function blockEnd(lines: readonly string[], at: number): number | null {
  const opening = lines[at] ?? "";
  const depth = indentOf(opening).length;
  for (let index = at + 1; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    if (line.trim() === "" || indentOf(line).length > depth) continue;
    // Arguments that are broken over lines, and Allman's braces, belong to what opens the block.
    if (/^\s*(?:[({]\s*$|\)[^;]*\{\s*$|\)(?: ->.*)?:\s*$)/u.test(line)) continue;
    if (indentOf(line).length === depth && /^\s*(?:[})\]]|end\b)/u.test(line)) return index;
    // A language without a sign for the end: the last line with something on it.
    let last = index - 1;
    while (last > at && (lines[last] ?? "").trim() === "") last -= 1;
    return last > at ? last : null;
  }
  let last = lines.length - 1;
  while (last > at && (lines[last] ?? "").trim() === "") last -= 1;
  return last > at ? last : null;
}

/** Lines before one that belong to it: annotations, decorators, attributes. */
export function withAnnotations(lines: readonly string[], at: number): number {
  let first = at;
  while (first > 0 && /^\s*(?:@\w|#\[|\[\w)/u.test(lines[first - 1] ?? "")) first -= 1;
  return first;
}
