import { type Notes, noNotes } from "../graph-words/change-note.ts";
import { nearestWord } from "../text/nearest-word.ts";
import { figuresRevset } from "./figures.ts";
import { type HoxFunction, hoxFunction } from "./functions.ts";
import { type Argument, type Call, callsIn, type Node, nodePlace, parse } from "./parse.ts";
import { addressRegexes, escapeRegex, globToRegex, trailerRevset } from "./pattern.ts";
import { type RevsetError, tokenText } from "./token.ts";

/** A use of a Hox function in the text that was translated. */
interface FunctionUse {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

export type Translation =
  | { readonly ok: true; readonly revset: string; readonly functions: readonly FunctionUse[] }
  | { readonly ok: false; readonly error: RevsetError };

const tasks = trailerRevset("Hox-Kind", ["task"]);
const finished = trailerRevset("Hox-Status", ["done", "abandoned"]);
const open = trailerRevset("Hox-Status", ["open"]);
/** Asking only mutable changes for conflicts is much cheaper, and nobody works on the others. */
const readyTasks = `(roots(${tasks} ~ ${finished}) & ${open} ~ (mutable() & conflicts()))`;

/**
 * Turns Hox's revset functions into jj's language and leaves everything else as it is, to the byte. (HOX-2.3)
 * `priority() status() kind() msg_type() agent() orchestrator() run() msg_to() metrics() score() ready()` are found wherever jj
 * takes a function, nested in arguments too; in strings they are text. Each becomes a call or a bracket, so
 * operators beside it bind as they did. Several values mean any of them: `priority(high, critical)`.
 * Trailers are matched by a regular expression over the description, and over notes, see `trailerRevset`.
 * @param notes the metadata of landed changes that is not in their descriptions
 * @returns the revset for jj and the Hox functions in it, or the error with its place. What only jj can judge
 *   (operators, its own functions, names) is left to jj.
 */
export function translateRevset(text: string, notes: Notes = noNotes): Translation {
  const tree = parse(text);
  if (!tree.ok) return tree;
  const functions: FunctionUse[] = [];
  let revset = "";
  let copied = 0;
  for (const call of callsIn(tree.items)) {
    const definition = hoxFunction(call.name);
    // Inside a call that was replaced as a whole there is nothing left to translate.
    if (!definition || call.start < copied) continue;
    const translated = translateCall(definition, call, notes);
    if (typeof translated !== "string") return { ok: false, error: translated };
    revset += text.slice(copied, call.start) + translated;
    copied = call.end;
    functions.push({ name: call.name, start: call.start, end: call.end });
  }
  return { ok: true, revset: revset + text.slice(copied), functions };
}

function translateCall(definition: HoxFunction, call: Call, notes: Notes): string | RevsetError {
  const { takes } = definition;
  if (takes.kind === "nothing") {
    const first = call.arguments[0];
    if (!first) return readyTasks;
    return { message: `${call.name}() takes no argument.`, start: first.start, end: first.end };
  }
  if (takes.kind === "figures") return figuresRevset(call.name, call.arguments, notes);
  const values: Value[] = [];
  for (const argument of call.arguments) {
    const read = readValues(definition, argument);
    if (!Array.isArray(read)) return read;
    values.push(...read);
  }
  if (values.length === 0) {
    const needed =
      takes.kind === "words"
        ? `one of ${list(takes.words)}`
        : takes.kind === "names"
          ? takes.what
          : "a recipient";
    return {
      message: `${call.name}() needs ${needed}.`,
      start: call.start,
      end: call.end,
      ...(takes.kind === "words" ? { expected: takes.words } : {}),
    };
  }
  const regexes: string[] = [];
  for (const value of values) {
    if (takes.kind === "words") {
      const found = takes.words.filter((word) => new RegExp(`^${globToRegex(value.text)}$`).test(word));
      if (found.length === 0) return unknownWord(definition.name, takes.words, value);
      regexes.push(...found.map(escapeRegex));
    } else if (takes.kind === "addresses") {
      regexes.push(...(value.exact ? [escapeRegex(value.text)] : addressRegexes(value.text)));
    } else {
      regexes.push(value.exact ? escapeRegex(value.text) : globToRegex(value.text));
    }
  }
  return trailerRevset(takes.trailer, [...new Set(regexes)], notes);
}

interface Value {
  readonly text: string;
  /** Written as `exact:"…"`: no wildcards. */
  readonly exact: boolean;
  readonly start: number;
  readonly end: number;
}

const isLeaf = (node: Node | undefined, operator: string): boolean =>
  node?.kind === "leaf" && node.token.kind === "operator" && node.token.text === operator;

/** Reads `value`, `"value"`, `exact:"value"`, `glob:"value"`, or several of them with `|` between. */
function readValues(definition: HoxFunction, argument: Argument): Value[] | RevsetError {
  const { name } = definition;
  const items = argument.items.filter((item) => item.kind !== "leaf" || item.token.kind !== "space");
  if (items.length === 0) {
    return {
      message: `An argument of ${name}() is missing before this comma.`,
      start: argument.start,
      end: argument.end + 1,
    };
  }
  const values: Value[] = [];
  for (let at = 0; at < items.length; at++) {
    const item = items[at];
    if (item?.kind !== "leaf" || (item.token.kind !== "symbol" && item.token.kind !== "string")) {
      return notAValue(name, item, argument);
    }
    let { token } = item;
    let exact = false;
    if (isLeaf(items[at + 1], "=")) {
      return {
        message: `${name}() has no argument named ${token.text}.`,
        start: token.start,
        end: token.end,
      };
    }
    if (isLeaf(items[at + 1], ":")) {
      const value = items[at + 2];
      if (token.text !== "exact" && token.text !== "glob") {
        const message = `${name}() supports the patterns exact: and glob:, not ${token.text}:.`;
        return { message, start: token.start, end: token.end, expected: ["exact", "glob"] };
      }
      if (value?.kind !== "leaf" || (value.token.kind !== "symbol" && value.token.kind !== "string")) {
        return notAValue(name, value ?? items[at + 1], argument);
      }
      exact = token.text === "exact";
      token = value.token;
      at += 2;
    }
    const text = tokenText(token);
    if (text.trim() === "") {
      return {
        message: `${name}() needs a value here, not an empty one.`,
        start: token.start,
        end: token.end,
      };
    }
    values.push({ text, exact, start: token.start, end: token.end });
    const next = items[at + 1];
    if (next === undefined) break;
    if (!isLeaf(next, "|")) return notAValue(name, next, argument);
    at++;
    if (at + 1 >= items.length) return notAValue(name, next, argument);
  }
  return values;
}

function notAValue(name: string, node: Node | undefined, argument: Argument): RevsetError {
  const { start, end } = node ? nodePlace(node) : argument;
  const message = `${name}() takes values, not revsets. Quote values with special characters, and separate values with commas.`;
  return { message, start, end };
}

function unknownWord(name: string, words: readonly string[], value: Value): RevsetError {
  const near = nearestWord(value.text, words);
  const rest = words.filter((word) => word !== near);
  const { start, end } = value;
  return near === null
    ? {
        message: `${name}() has no value “${value.text}”. Use ${list(words)}.`,
        start,
        end,
        expected: words,
      }
    : {
        message: `${name}() has no value “${value.text}”. Did you mean “${near}”?`,
        start,
        end,
        expected: [near, ...rest],
      };
}

const list = (words: readonly string[]): string => `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
