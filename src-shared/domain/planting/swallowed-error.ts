import type { Place, Planter } from "./place.ts";
import { blockEnd, indentOf, isComment } from "./source-file.ts";

/** Lines that open what is done about an error, and what stands there when nothing is done. */
const handlers: readonly (readonly [RegExp, ((indent: string) => readonly string[]) | null])[] = [
  [/\bcatch\b.*\{\s*$/u, null],
  [/^\s*if err != nil \{\s*$/u, null],
  [/^\s*except\b.*:\s*$/u, (indent) => [`${indent}pass`]],
  [/^\s*rescue\b.*$/u, (indent) => [`${indent}nil`]],
];

/** A statement that can fail, and the same as one whose failure nobody sees. */
const statements: readonly (readonly [RegExp, string])[] = [
  [/^(\s*)await ([^;]*\));\s*$/u, "$1await $2.catch(() => undefined);"],
  [/^(\s*)([\w.:&(]+(?:\(.*\)))\?;\s*$/u, "$1let _ = $2;"],
  [/^(\s*)set -e(u?o? ?(?:pipefail)?)\s*$/u, "$1set +e"],
  [/^(\s*)([\w./-]+(?: [^|&;]*)?) \|\| (?:exit|return)\b.*$/u, "$1$2 || true"],
];

/** What was done about an error is not done any more, and nobody hears of it. */
export const swallowedError: Planter = ({ lines, isTest, language }) =>
  isTest || language === "style" || language === "settings"
    ? []
    : lines.flatMap((line, at): Place[] => {
        if (isComment(line)) return [];
        const emptied = emptiedHandler(lines, at);
        if (emptied !== null) return [emptied];
        for (const [pattern, by] of statements) {
          if (!pattern.test(line) || /\.catch\(/u.test(line)) continue;
          const changed = line.replace(pattern, by);
          const what = `an error of "${line.trim()}" is passed over`;
          return [{ from: at, to: at + 1, lines: [changed], what }];
        }
        return [];
      });

function emptiedHandler(lines: readonly string[], at: number): Place | null {
  const line = lines[at] ?? "";
  const handler = handlers.find(([pattern]) => pattern.test(line));
  if (handler === undefined) return null;
  const end = blockEnd(lines, at);
  if (end === null || end === at + 1) return null;
  const [, nothing] = handler;
  // Braces close a block by a line of their own; elsewhere its last line is the last of it, or its `end`.
  const isClosed = /^\s*(?:[})]|end\b)/u.test(lines[end] ?? "");
  const to = isClosed ? end : end + 1;
  const body = lines.slice(at + 1, to);
  if (body.every((one) => one.trim() === "" || isComment(one)) || /^\s*(?:pass|nil)\s*$/u.test(body.join("")))
    return null;
  const indent = indentOf(body.find((one) => one.trim() !== "") ?? "");
  const what = `nothing is done any more where "${line.trim()}"`;
  return { from: at + 1, to, lines: nothing?.(indent) ?? [], what };
}
