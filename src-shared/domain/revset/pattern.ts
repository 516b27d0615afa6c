import { addressMatches, parseOrchestrator } from "../graph-words/address.ts";
import { quote } from "./token.ts";

/** Writes a regular expression, in the syntax of Rust's `regex`, that matches exactly this text. */
export const escapeRegex = (text: string): string => text.replace(/[\\.+*?()|[\]{}^$]/g, "\\$&");

/** The same for a text in which `*` stands for any characters of the line and `?` for one. */
export const globToRegex = (glob: string): string =>
  escapeRegex(glob).replaceAll("\\*", ".*").replaceAll("\\?", ".");

/**
 * A revset for the changes whose description has the line `<trailer>: <value>`, the value being one of several
 * regular expressions. (HOX-2.3)
 * An approximation: jj's revsets cannot ask for trailers, which stand in the last paragraph only; a line of this
 * form in the middle of a text is found as well.
 */
export const trailerRevset = (trailer: string, values: readonly string[]): string =>
  `description(regex:${quote(`(?m)^${trailer} *: *(?:${values.join("|")}) *$`)})`;

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
