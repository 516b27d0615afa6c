import type { Language } from "./source-file.ts";

const control =
  /^\s*\}?\s*(?:if|for|foreach|while|switch|catch|else|do|try|match|with|using|lock|when|return|select)\b/u;
const braces = /^\s*[\w<>[\], *&:.@?$]*\w\s*\(.*\)[^;=]*\{\s*$/u;

const patterns: Partial<Readonly<Record<Language, RegExp>>> = {
  javascript: /^\s*(?:export )?(?:default )?(?:async )?function\b.*\{\s*$|^(?:export )?const \w+.*=> \{\s*$/u,
  python: /^\s*(?:async )?def \w+\(.*\).*:\s*$/u,
  go: /^func .*\{\s*$/u,
  rust: /^\s*(?:pub(?:\(\w+\))? )?(?:const )?(?:async )?(?:unsafe )?fn .*\{\s*$/u,
  ruby: /^\s*def [^=]*$/u,
  elixir: /^\s*defp? .*\bdo\s*$/u,
  shell: /^\s*(?:function )?[\w-]+ ?\(\) *\{\s*$/u,
  swift: /^\s*(?:\w+ )*(?:func|init)\b.*\{\s*$/u,
  kotlin: /^\s*(?:\w+ )*fun .*\{\s*$/u,
  php: /^\s*(?:\w+ )*function \w+\(.*\).*\{\s*$/u,
  c: braces,
  csharp: braces,
  java: braces,
};

/** Indexes behind the lines that open functions, where a first statement of theirs may stand. */
export function functionStarts(lines: readonly string[], language: Language): readonly number[] {
  const pattern = patterns[language];
  if (pattern === undefined) return [];
  return lines.flatMap((line, at) => {
    if (!pattern.test(line) || control.test(line)) return [];
    const first = behindDocstring(lines, at + 1);
    return (lines[first] ?? "").trim() === "" ? [] : [first];
  });
}

/** Python says what a function does in its first statement. */
function behindDocstring(lines: readonly string[], at: number): number {
  const sign = /^\s*[ru]?("""|''')/u.exec(lines[at] ?? "")?.[1];
  if (sign === undefined) return at;
  if ((lines[at] ?? "").trim().length > 3 && (lines[at] ?? "").trimEnd().endsWith(sign)) return at + 1;
  const end = lines.findIndex((line, index) => index > at && line.includes(sign));
  return end === -1 ? at : end + 1;
}
