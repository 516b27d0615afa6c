import type { Place, Planter } from "./place.ts";
import { blockEnd, isComment } from "./source-file.ts";

const leaves =
  "(?:throw\\b|return\\b|raise\\b|panic!?\\(|bail!|break\\b|continue\\b|exit\\b|die\\b|abort\\(|halt\\b|fatalError\\()";

/** A check and what follows where it fails, on one line. */
const onOneLine: readonly RegExp[] = [
  new RegExp(`^\\s*if\\s*\\([^\\n]*\\)\\s*(?:\\{\\s*)?${leaves}.*[;}]$`, "u"),
  new RegExp(`^\\s*if\\s[^{]*\\{\\s*${leaves}.*\\}\\s*$`, "u"),
  /^\s*(?:raise|return|fail)\b.*\s(?:if|unless)\s.*$/u,
  /^\s*if [^:]+: (?:raise|return|continue|break)\b.*$/u,
  /^\s*assert[ (].*$/u,
  /^\s*(?:debug_)?assert(?:_eq|_ne)?!\(.*\);\s*$/u,
  /^\s*ensure!\(.*\);\s*$/u,
  /^\s*(?:require|check|precondition|Objects\.requireNonNull|Preconditions\.\w+)\(.*\);?\s*$/u,
  /^\s*\[\[?.*\]\]? \|\| (?:exit|return)\b.*$/u,
];

/** A check that opens a block, in which the first thing is to leave. */
const opening =
  /^\s*(?:if\s*\(.*\)\s*\{?|if\s[^{]*\{|if\s.*:|guard\s.*else\s*\{|unless\s.*|if\s[^:{(]*)\s*$/u;
const leaving = new RegExp(`^\\s*${leaves}`, "u");
/** What Go does with each error is no check of its own. */
const isErrorPassed = /^\s*if err != nil/u;

/** A check is taken away with what it guarded against. */
export const removedCheck: Planter = ({ lines, isTest, language }) =>
  isTest || language === "style" || language === "settings"
    ? []
    : lines.flatMap((line, at): Place[] => {
        if (isComment(line) || isErrorPassed.test(line)) return [];
        const what = `"${line.trim()}" is gone`;
        if (onOneLine.some((pattern) => pattern.test(line)))
          return [{ from: at, to: at + 1, lines: [], what }];
        if (!opening.test(line) || !leaving.test(lines[at + 1] ?? "")) return [];
        const end = blockEnd(lines, at);
        // What has another branch is no plain check, and of a long block more than a check would go.
        if (end === null || end - at > 6 || /\belse\b|\belif\b/u.test(lines[end] ?? "")) return [];
        if (/^\s*(?:else|elif|elsif)\b/u.test(lines[end + 1] ?? "")) return [];
        return [{ from: at, to: end + 1, lines: [], what }];
      });
