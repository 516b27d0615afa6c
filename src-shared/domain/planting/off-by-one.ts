import type { Place, Planter } from "./place.ts";
import { isComment, isQuoted } from "./source-file.ts";

interface Swap {
  readonly pattern: RegExp;
  readonly by: string;
}

/** Each moves a bound by one. Spaces around a sign tell a comparison from a type's argument. */
const swaps: readonly Swap[] = [
  { pattern: /(?<=\S) <= (?=\S)/u, by: " < " },
  { pattern: /(?<=\S) >= (?=\S)/u, by: " > " },
  { pattern: /(?<=\b(?:for|while|if|elif|when|unless|return)\b.*\S) < (?=[\w(])/u, by: " <= " },
  { pattern: /(?<=\b(?:for|while|if|elif|when|unless|return)\b.*\S) > (?=[\w(])/u, by: " >= " },
  { pattern: /(?<=(?:\.length|\.size\(\)|\.len\(\)|\.count|\.Length|\.Count)) - 1\b/u, by: "" },
  { pattern: /(?<=\blen\([^()]*\)) - 1\b/u, by: "" },
  { pattern: /(?<=\w)\.\.=(?=\w)/u, by: ".." },
  { pattern: /(?<=\brange\([^()]*) \+ 1(?=\))/u, by: "" },
  { pattern: /(?<=\w) \+ 1\b(?! *[*/])/u, by: "" },
  { pattern: /(?<=\w) - 1\b(?! *[*/])/u, by: "" },
  { pattern: /(?<=\[\[? )-le\b/u, by: "-lt" },
  { pattern: /(?<= )-(?:ge)(?= )/u, by: "-gt" },
];

/** A bound is moved by one. */
export const offByOne: Planter = ({ lines, isTest, language }) =>
  isTest || language === "style" || language === "settings"
    ? []
    : lines.flatMap((line, at): Place[] => {
        if (isComment(line)) return [];
        for (const { pattern, by } of swaps) {
          const found = pattern.exec(line);
          if (!found || isQuoted(line, found.index)) continue;
          const changed = `${line.slice(0, found.index)}${by}${line.slice(found.index + found[0].length)}`;
          return [
            {
              from: at,
              to: at + 1,
              lines: [changed],
              what:
                by.trim() === ""
                  ? `"${found[0].trim()}" is gone`
                  : `"${found[0].trim()}" became "${by.trim()}"`,
            },
          ];
        }
        return [];
      });
