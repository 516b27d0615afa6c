import { addressMatches, parseOrchestrator } from "../graph-words/address.ts";
import { type ChangeNote, type Notes, noNotes } from "../graph-words/change-note.ts";
import { quote } from "./token.ts";

/** Writes a regular expression, in the syntax of Rust's `regex`, that matches exactly this text. */
export const escapeRegex = (text: string): string => text.replace(/[\\.+*?()|[\]{}^$]/g, "\\$&");

/** The same for a text with `*` as any characters of the line and `?` as one. */
export const globToRegex = (glob: string): string =>
  escapeRegex(glob).replaceAll("\\*", ".*").replaceAll("\\?", ".");

/**
 * A revset for the changes with the line `<trailer>: <value>` in their description or in a note, the value
 * being one of several regular expressions. (HOX-2.3) An approximation: jj's revsets cannot search trailers,
 * which are in the last paragraph only; such a line in the middle of a text is found as well.
 */
export const trailerRevset = (trailer: string, values: readonly string[], notes: Notes = noNotes): string =>
  lineRevset(trailer, ` *(?:${values.join("|")}) *$`, notes);

/**
 * The same for any regular expression behind `<trailer>:`. It has to mean the same to Rust's `regex` and to
 * JavaScript: jj reads the descriptions, this function the notes.
 */
export function lineRevset(trailer: string, pattern: string, notes: Notes): string {
  const line = `^${trailer} *:${pattern}`;
  const described = describedBy(line);
  const isWanted = new RegExp(line, "mu");
  const noted = [...notes.byCommit.values()].filter(({ text }) => isWanted.test(text)).flatMap(namesOf);
  if (noted.length === 0) return described;
  // What a description says itself wins over its note. A commit that was rewritten is found as what it is now.
  return `(${described} | ((${noted.join("|")}) & ::visible_heads() ~ ${describedBy(`^${trailer} *:`)}))`;
}

const describedBy = (line: string): string => `description(regex:${quote(`(?m)${line}`)})`;

const namesOf = ({ commitId, landedAs }: ChangeNote): readonly string[] => [
  `present(${commitId})`,
  ...(landedAs !== null && /^[k-z]{32}$/u.test(landedAs) ? [`change_id(${landedAs})`] : []),
];

/**
 * The regular expressions of the addresses that `value` matches. A recipient (`O-A-1`, `O-A-1/agent-2`)
 * matches every address that reaches it, including `O-A-*` and `O-*`; an address with a wildcard every
 * address with that beginning; any other word itself.
 */
export function addressRegexes(value: string): readonly string[] {
  if (value.includes("*") || value.includes("?")) return [globToRegex(value)];
  const [orchestrator = "", agent] = value.split("/");
  if (parseOrchestrator(orchestrator) === null) return [escapeRegex(value)];
  const left = withWildcards(orchestrator);
  const candidates =
    agent === undefined
      ? left
      : left.flatMap((half) => withWildcards(agent).map((other) => `${half}/${other}`));
  const reaching = candidates.filter((address) => addressMatches(address, value));
  return [...new Set([value, ...reaching])].map(escapeRegex);
}

/** The name itself, and each of its beginnings with a `*` after it. */
const withWildcards = (name: string): string[] => [
  name,
  ...Array.from({ length: name.length + 1 }, (_, length) => `${name.slice(0, length)}*`),
];
