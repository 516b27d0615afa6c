import { addressMatches, parseOrchestrator } from "../graph-words/address.ts";
import { type ChangeNote, type Notes, noNotes } from "../graph-words/change-note.ts";
import { quote } from "./token.ts";

/** Writes a regular expression, in the syntax of Rust's `regex`, that matches exactly this text. */
export const escapeRegex = (text: string): string => text.replace(/[\\.+*?()|[\]{}^$]/g, "\\$&");

/** The same for a text in which `*` stands for any characters of the line and `?` for one. */
export const globToRegex = (glob: string): string =>
  escapeRegex(glob).replaceAll("\\*", ".*").replaceAll("\\?", ".");

/**
 * A revset for the changes that have the line `<trailer>: <value>`, the value being one of several regular
 * expressions, in their description or in a note. (HOX-2.3)
 * An approximation: jj's revsets cannot ask for trailers, which stand in the last paragraph only; a line of this
 * form in the middle of a text is found as well.
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
 * The regular expressions of the addresses that `value` asks for. A recipient (`O-A-1`, `O-A-1/agent-2`) stands
 * for every address that reaches it, `O-A-*` and `O-*` among them; an address with a wildcard stands for every
 * address that begins so; any other word for itself.
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
