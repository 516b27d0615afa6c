/** Text in the filter box: plain words to search for, or jj's revset language. */
import { quote } from "./token.ts";

export type FilterText =
  | { readonly kind: "nothing" }
  /** All of them are looked for, in small letters. */
  | { readonly kind: "words"; readonly words: readonly string[] }
  | {
      readonly kind: "revset";
      readonly revset: string /** Where it begins in what was typed. */;
      readonly at: number;
    };

/** Signs that words do not have: a call, and operators between or at the ends of what is written together. */
const call = /(?<![\p{L}\p{N}_])[\p{L}_][\p{L}\p{N}_]*\(/u;
const operators = /::|(?<!\.)\.\.(?!\.)|\s[&|~]\s|^[~@]|[@)][-+]+$|^[^\s&|]+[&|][^\s&|]+$/u;

/**
 * Tells plain text from a revset. A revset is recognised by its syntax (`ready()`, `main..@`, `a & b`), or
 * marked with `=` in front; words in quotation marks are searched for literally.
 */
export function readFilterText(typed: string): FilterText {
  const text = typed.trim();
  if (text === "" || text === "=" || text === '"' || text === '""') return { kind: "nothing" };
  const before = typed.length - typed.trimStart().length;
  if (text.startsWith("=")) {
    const revset = text.slice(1).trimStart();
    return { kind: "revset", revset, at: before + text.length - revset.length };
  }
  const phrase = /^"([^"]*)"?$/u.exec(text)?.[1];
  if (phrase !== undefined) return { kind: "words", words: [phrase.toLowerCase()] };
  if (call.test(text) || operators.test(text)) return { kind: "revset", revset: text, at: before };
  return { kind: "words", words: [...new Set(text.toLowerCase().split(/\s+/u))] };
}

/** What of a glob would mean something. */
const escapeGlob = (word: string): string => word.replaceAll(/[*?[\]{}\\]/gu, (sign) => `[${sign}]`);

/** How many of the newest changes are searched for files; mutable ones always are. */
const newestAsked = 2_000;

/** A revset of the changes that touch a file with this word in its path. */
export function touchesFileNamed(word: string): string {
  const glob = escapeGlob(word);
  const files = [`**/*${glob}*`, `**/*${glob}*/**`].map((one) => `glob-i:${quote(one)}`).join(" | ");
  return `(mutable() | latest(all(), ${newestAsked})) & files(${files})`;
}
