import { addressMatches, parseOrchestrator } from "../change-metadata/address.ts";
import { type ChangeNote, type Notes, noNotes } from "../change-metadata/change-note.ts";
import { kinds, messageTypes, priorities, statuses } from "../change-metadata/metadata.ts";
import { metricNames } from "../metrics/metrics-trailer.ts";
import { nearestWord } from "../text/nearest-word.ts";
import { type Argument, quote, type RevsetError } from "./parse.ts";

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
function lineRevset(trailer: string, pattern: string, notes: Notes): string {
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

// `score(>0.8)` and `metrics(failures>3)`: numbers in `Hox-Metrics`, found by the only means there is, a pattern.

const operators = [">", ">=", "<", "<=", "="] as const;
type Operator = (typeof operators)[number];

/** A number that a figure is compared with. `digits`: as whole number, of a score in thousandths. */
interface Comparison {
  readonly name: string;
  readonly operator: Operator;
  readonly digits: string;
}

/** The function whose figure is the score alone, from 0.000 to 1.000; every other figure is a whole number. */
const scoreFunction = "score";
const maxNumberLength = 15;

/** A comparison with nothing around it but spaces: `failures >= 3`, and `> 0.8` of the score. */
const form = /^(?<name>[A-Za-z_]*)(?<operator>>=|<=|>|<|=)(?<number>[0-9]+(?:\.[0-9]+)?)$/;

/**
 * The revset of changes with figures, or with matching figures; several comparisons mean any of them.
 * (HOX-6.2)
 *
 * @param name `score` or `metrics`
 * @param notes where figures are stored as well
 */
export function figuresRevset(
  name: string,
  given: readonly Argument[],
  notes: Notes = noNotes,
): string | RevsetError {
  const patterns: string[] = [];
  for (const argument of given) {
    const read = readComparison(name, argument);
    if ("message" in read) return read;
    patterns.push(...patternsOf(read));
  }
  if (given.length > 0 && patterns.length === 0) return "none()";
  const any = name === scoreFunction ? [scoreField("[01]\\.[0-9]{3}")] : [""];
  const fields = [...new Set(given.length === 0 ? any : patterns)];
  // Before the first nested bracket: names of tools follow, which may be any word.
  return trailerWith(fields, notes);
}

const trailerWith = (fields: readonly string[], notes: Notes): string =>
  lineRevset("Hox-Metrics", ` *\\{(?:[^{\\n]*[, ])?(?:${fields.join("|")})`, notes);

/** The revset of all changes with figures in their description. */
export const anyFigures = trailerWith([""], noNotes);

const scoreField = (value: string): string => `"score": *${value}[,}]`;

function readComparison(name: string, argument: Argument): Comparison | RevsetError {
  const { start, end, items } = argument;
  const text = items
    .map((item) => (item.kind === "leaf" && item.token.kind !== "string" ? item.token.text : '"'))
    .filter((part) => part.trim() !== "")
    .join("");
  const example = name === scoreFunction ? "score(>0.8)" : "metrics(failures>3)";
  const groups = form.exec(text)?.groups;
  const operator = operators.find((one) => one === groups?.operator);
  if (!groups || operator === undefined)
    return { message: `${name}() takes a comparison, for instance ${example}.`, start, end };
  const { name: figure = "", number = "" } = groups;
  if (name === scoreFunction) {
    if (figure !== "") return { message: `score() takes no metric name. Write ${example}.`, start, end };
    const [whole = "0", places = ""] = number.split(".");
    if (places.length > 3) return { message: "A score has at most three decimal places.", start, end };
    return { name: scoreFunction, operator, digits: trimmed(whole + places.padEnd(3, "0")) };
  }
  if (!metricNames.some((known) => known === figure)) {
    const near = nearestWord(figure, metricNames);
    const known = `Use one of ${metricNames.slice(0, -1).join(", ")} and ${metricNames.at(-1)}.`;
    return {
      message: `Unknown metric “${figure}”. ${near === null ? known : `Did you mean “${near}”?`}`,
      start,
      end,
      expected: near === null ? metricNames : [near, ...metricNames.filter((word) => word !== near)],
    };
  }
  if (number.includes("."))
    return { message: `${figure} is a whole number: compare it with one.`, start, end };
  const digits = trimmed(number);
  if (digits.length > maxNumberLength)
    return { message: `A number has at most ${maxNumberLength} digits.`, start, end };
  return { name: figure, operator, digits };
}

const trimmed = (digits: string): string => digits.replace(/^0+(?=[0-9])/u, "");

/** Regular expressions of trailers whose figure compares so; empty if none can. */
function patternsOf({ name, operator, digits }: Comparison): readonly string[] {
  if (name !== scoreFunction)
    return numbersThat(operator, digits).map((number) => `"${name}": *${number}[,}]`);
  // A score that cannot be compares with all of them alike.
  if (digits.length > 4 || Number(digits) > 1_000)
    return operator === "<" || operator === "<=" ? [scoreField("[01]\\.[0-9]{3}")] : [];
  return alternatives(operator, digits.padStart(4, "0")).map((classes) =>
    scoreField(`${classes.slice(0, 1).join("")}\\.${classes.slice(1).join("")}`),
  );
}

/** Patterns of the whole numbers that compare so: by their length, and of the same length by their digits. */
function numbersThat(operator: Operator, digits: string): readonly string[] {
  const same = alternatives(operator, digits).map((classes) => classes.join(""));
  const { length } = digits;
  if (operator.startsWith(">")) return [...same, `[1-9][0-9]{${length},}`];
  if (operator.startsWith("<") && length > 1)
    return [...same, "0", ...(length > 2 ? [`[1-9][0-9]{0,${length - 2}}`] : ["[1-9]"])];
  return same;
}

/** Numbers of as many digits that compare so, each as a class for every digit. */
function alternatives(operator: Operator, digits: string): readonly (readonly string[])[] {
  const all = [...digits];
  const equal = operator.endsWith("=") ? [all] : [];
  if (operator === "=") return equal;
  const differing = all.flatMap((digit, at): (readonly string[])[] => {
    const value = Number(digit);
    const isGreater = operator.startsWith(">");
    // The first digit of a longer number is no 0.
    const [from, to] = isGreater ? [value + 1, 9] : [0, value - 1];
    if (from > to) return [];
    const rest = all.slice(at + 1).map(() => "[0-9]");
    return [[...all.slice(0, at), from === to ? String(from) : `[${from}-${to}]`, ...rest]];
  });
  return [...equal, ...differing];
}

/** A revset function that Hox adds to jj's. */
export interface HoxFunction {
  readonly name: string;
  /** The description in the filter box. */
  readonly description: string;
  readonly takes: /** One or more of these words. */
    | { readonly kind: "words"; readonly trailer: string; readonly words: readonly string[] }
    /** One or more names with `*` and `?` as wildcards. */
    | { readonly kind: "names"; readonly trailer: string; readonly what: string }
    /** One or more recipients or addresses. */
    | { readonly kind: "addresses"; readonly trailer: string }
    /** Nothing, or comparisons with one of these figures; of the score, which has no name, with none before them. */
    | { readonly kind: "figures"; readonly figures: readonly string[] }
    | { readonly kind: "nothing" };
}

/** Every function that Hox adds. (HOX-2.3) */
export const hoxFunctions: readonly HoxFunction[] = [
  {
    name: "priority",
    description: "changes of these priorities",
    takes: { kind: "words", trailer: "Hox-Priority", words: priorities },
  },
  {
    name: "status",
    description: "changes in these states",
    takes: { kind: "words", trailer: "Hox-Status", words: statuses },
  },
  {
    name: "kind",
    description: "changes of these kinds",
    takes: { kind: "words", trailer: "Hox-Kind", words: kinds },
  },
  {
    name: "msg_type",
    description: "messages of these types",
    takes: { kind: "words", trailer: "Hox-Msg-Type", words: messageTypes },
  },
  {
    name: "agent",
    description: "changes of these agents",
    takes: { kind: "names", trailer: "Hox-Agent", what: "an agent's name" },
  },
  {
    name: "orchestrator",
    description: "changes of these orchestrators",
    takes: { kind: "names", trailer: "Hox-Orchestrator", what: "an orchestrator's name" },
  },
  {
    name: "run",
    description: "changes of these runs",
    takes: { kind: "names", trailer: "Hox-Run", what: "the name of a run" },
  },
  {
    name: "msg_to",
    description: "messages to a recipient, or to an address with this prefix",
    takes: { kind: "addresses", trailer: "Hox-Msg-To" },
  },
  {
    name: "metrics",
    description: "changes with matching metrics: metrics(failures>3)",
    takes: { kind: "figures", figures: metricNames },
  },
  {
    name: "score",
    description: "changes with a matching score: score(>0.8)",
    takes: { kind: "figures", figures: [] },
  },
  { name: "ready", description: "tasks that an agent can start now", takes: { kind: "nothing" } },
];

const byName = new Map(hoxFunctions.map((entry) => [entry.name, entry]));

/** The Hox function of that name; undefined for jj's own and for aliases. */
export const hoxFunction = (name: string): HoxFunction | undefined => byName.get(name);
