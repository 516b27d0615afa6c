/** The door to Hox's revset language: translation for jj, and suggestions for the filter box. */

import { type Notes, noNotes } from "../change-metadata/change-note.ts";
import { nearestWord } from "../text/nearest-word.ts";
import {
  addressRegexes,
  escapeRegex,
  figuresRevset,
  globToRegex,
  type HoxFunction,
  hoxFunction,
  hoxFunctions,
  trailerRevset,
} from "./hox-functions.ts";
import {
  type Argument,
  type Call,
  callsIn,
  type Node,
  nodePlace,
  parse,
  quote,
  type RevsetError,
  type Token,
  tokenize,
  tokenText,
} from "./parse.ts";

/** Names that the application knows of and jj's language does not. */
interface KnownNames {
  readonly agents?: readonly string[];
  readonly orchestrators?: readonly string[];
  readonly runs?: readonly string[];
  readonly bookmarks?: readonly string[];
}

export interface Suggestion {
  readonly kind: "hox" | "jj" | "value" | "bookmark";
  /** What replaces the text between `from` and `to`. */
  readonly insert: string;
  readonly description: string;
}

interface Suggestions {
  readonly from: number;
  readonly to: number;
  readonly items: readonly Suggestion[];
}

/** Functions of jj that a filter is likely to need, with what they select. */
const jjFunctions: readonly (readonly [name: string, takesArgument: boolean, description: string])[] = [
  ["all", false, "every visible change"],
  ["mutable", false, "changes that may still be rewritten"],
  ["immutable", false, "immutable history"],
  ["conflicts", false, "changes with conflicted files"],
  ["divergent", false, "changes with several versions"],
  ["empty", false, "changes without edits"],
  ["merges", false, "changes with several parents"],
  ["working_copies", false, "the changes being edited, one for each workspace"],
  ["visible_heads", false, "changes without descendants"],
  ["trunk", false, "the main bookmark of the remote"],
  ["mine", false, "changes by you"],
  ["bookmarks", true, "changes with a matching bookmark"],
  ["description", true, "changes with a matching description"],
  ["author", true, "changes by a matching author"],
  ["files", true, "changes that modify matching files"],
  ["diff_lines", true, "changes that add or remove matching lines"],
  ["ancestors", true, "these changes and their ancestors"],
  ["descendants", true, "these changes and their descendants"],
  ["parents", true, "their parents"],
  ["children", true, "their children"],
  ["heads", true, "heads of these changes"],
  ["roots", true, "roots of these changes"],
  ["latest", true, "the newest of these"],
  ["present", true, "these, or nothing when the name is unknown"],
];

/**
 * What could be typed at the cursor: words and known names inside a Hox function, functions and bookmarks elsewhere.
 * @param cursor offset in UTF-16 units.
 * @returns the span that a choice replaces, and choices that begin with (then: that contain) what is typed there.
 */
export function completeRevset(text: string, cursor: number, known: KnownNames = {}): Suggestions {
  const before = text.slice(0, cursor);
  // A quote that is still open is the ordinary case while one types: close it, and look at the last token.
  const cut = tokenize(before);
  const tokens = cut.ok
    ? cut.tokens
    : [...tokensOf(before.slice(0, cut.error.start)), openString(before, cut.error.start)];
  const last = tokens.at(-1);
  const isWord = last?.kind === "symbol" || (last?.kind === "string" && !cut.ok);
  const typed = isWord ? last : undefined;
  const from = typed?.start ?? cursor;
  const to = typed ? endOfWord(text, cursor, typed) : cursor;
  const word = typed ? typed.text.replace(/^["']/, "") : "";
  const inside = openCall(typed ? tokens.slice(0, -1) : tokens);
  const items = inside === undefined || !hoxFunction(inside) ? anywhere(known) : valuesOf(inside, known);
  // After what is complete only an operator can follow.
  const meant = tokens.findLast(({ kind }) => kind !== "space");
  if (!typed && (meant?.kind === "string" || meant?.text === ")")) return { from, to, items: [] };
  // In a string of jj's own there is nothing that we could know.
  if (typed?.kind === "string" && (inside === undefined || !hoxFunction(inside)))
    return { from, to, items: [] };
  return { from, to, items: ranked(items, word) };
}

const tokensOf = (text: string): readonly Token[] => {
  const cut = tokenize(text);
  return cut.ok ? cut.tokens : [];
};

const openString = (text: string, start: number): Token => ({
  kind: "string",
  text: text.slice(start),
  start,
  end: text.length,
});

/** The end of the word at the cursor; of a string, its closing quote. */
function endOfWord(text: string, cursor: number, typed: Token): number {
  if (typed.kind === "string") {
    const closing = text.indexOf(typed.text[0] ?? '"', cursor);
    return closing < 0 ? text.length : closing + 1;
  }
  return cursor + (/^[\p{XID_Continue}_*/-]*/u.exec(text.slice(cursor))?.[0].length ?? 0);
}

/** Name of the innermost call whose bracket is still open. */
function openCall(tokens: readonly Token[]): string | undefined {
  const open: (string | undefined)[] = [];
  tokens.forEach((token, at) => {
    if (token.kind !== "operator") return;
    const name = tokens[at - 1];
    if (token.text === "(") open.push(name?.kind === "symbol" ? name.text : undefined);
    if (token.text === ")") open.pop();
  });
  return open.at(-1);
}

function anywhere(known: KnownNames): Suggestion[] {
  return [
    ...hoxFunctions.map(({ name, takes, description }): Suggestion => {
      return { kind: "hox", insert: takes.kind === "nothing" ? `${name}()` : `${name}(`, description };
    }),
    ...jjFunctions.map(([name, takesArgument, description]): Suggestion => {
      return { kind: "jj", insert: takesArgument ? `${name}(` : `${name}()`, description };
    }),
    ...(known.bookmarks ?? []).map((name): Suggestion => {
      return { kind: "bookmark", insert: asArgument(name), description: "bookmark" };
    }),
  ];
}

function valuesOf(name: string, known: KnownNames): Suggestion[] {
  const takes = hoxFunction(name)?.takes;
  const value = (insert: string, description: string): Suggestion => ({
    kind: "value",
    insert: asArgument(insert),
    description,
  });
  if (takes?.kind === "figures")
    return takes.figures.map((figure) => ({ kind: "value", insert: `${figure}>`, description: "figure" }));
  if (takes?.kind === "words") return takes.words.map((word) => value(word, name));
  const { agents = [], orchestrators = [], runs = [] } = known;
  switch (name) {
    case "agent":
      return agents.map((agent) => value(agent, "agent"));
    case "orchestrator":
      return orchestrators.map((orchestrator) => value(orchestrator, "orchestrator"));
    case "run":
      return runs.map((run) => value(run, "run"));
    case "msg_to":
      return [
        ...orchestrators.flatMap((each) => [
          value(each, "messages to it"),
          value(`${each}/*`, "to all its agents"),
        ]),
        value("O-*", "to all orchestrators"),
      ];
    default:
      return [];
  }
}

/** The word as it is where jj reads it as one symbol, in quotes where not. */
function asArgument(word: string): string {
  const cut = tokenize(word);
  return cut.ok && cut.tokens.length === 1 && cut.tokens[0]?.kind === "symbol" ? word : quote(word);
}

function ranked(items: readonly Suggestion[], typed: string): Suggestion[] {
  const wanted = typed.toLowerCase();
  const plain = (item: Suggestion): string => item.insert.replace(/^"/, "").toLowerCase();
  const begins = items.filter((item) => plain(item).startsWith(wanted));
  return [...begins, ...items.filter((item) => !begins.includes(item) && plain(item).includes(wanted))];
}

/** A use of a Hox function in the text that was translated. */
interface FunctionUse {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

type Translation =
  | { readonly ok: true; readonly revset: string; readonly functions: readonly FunctionUse[] }
  | { readonly ok: false; readonly error: RevsetError };

const tasks = trailerRevset("Hox-Kind", ["task"]);
const finished = trailerRevset("Hox-Status", ["done", "abandoned"]);
const open = trailerRevset("Hox-Status", ["open"]);
/** Searching only mutable changes for conflicts is much cheaper, and no agent works on others. */
const readyTasks = `(roots(${tasks} ~ ${finished}) & ${open} ~ (mutable() & conflicts()))`;

/**
 * Translates Hox's revset functions into jj's language and leaves everything else as it is, to the byte.
 * (HOX-2.3) `priority() status() kind() msg_type() agent() orchestrator() run() msg_to() metrics() score()
 * ready()` are found wherever jj takes a function, nested in arguments too; in strings they are text. Each
 * becomes a call or a bracket, so operators around it bind as before. Several values mean any of them:
 * `priority(high, critical)`. Trailers are matched by a regular expression over the description, and over
 * notes, see `trailerRevset`.
 * @param notes the metadata of landed changes that is not in their descriptions
 * @returns the revset for jj and the Hox functions in it, or the error with its position. Operators, jj's own
 *   functions and names are left to jj to check.
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
