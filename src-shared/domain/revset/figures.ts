import { type Notes, noNotes } from "../graph-words/change-note.ts";
import { metricNames } from "../metrics/metrics-trailer.ts";
import { nearestWord } from "../text/nearest-word.ts";
import type { Argument } from "./parse.ts";
import { lineRevset } from "./pattern.ts";
import type { RevsetError } from "./token.ts";

/** `score(>0.8)` and `metrics(failures>3)`: numbers in `Hox-Metrics`, found by the only means there is, a pattern. */

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
