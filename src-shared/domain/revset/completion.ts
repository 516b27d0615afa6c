import { hoxFunction, hoxFunctions } from "./functions.ts";
import { quote, type Token, tokenize } from "./token.ts";

/** Names that the application knows of and jj's language does not. */
export interface KnownNames {
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

export interface Suggestions {
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

/** The rest of the word that the cursor stands in; of a string, up to its closing quote. */
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
