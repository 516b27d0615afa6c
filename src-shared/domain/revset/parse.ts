import { type RevsetError, type Token, tokenize } from "./token.ts";

/**
 * A revset as a tree of calls, groups and the tokens between them. Operators stay tokens: jj alone decides what
 * they mean, and a Hox function becomes a call again, so it binds in the same way.
 */
export type Node = Call | Group | Leaf;

interface Leaf {
  readonly kind: "leaf";
  readonly token: Token;
}

interface Group {
  readonly kind: "group";
  readonly items: readonly Node[];
  readonly start: number;
  readonly end: number;
}

export interface Call {
  readonly kind: "call";
  readonly name: string;
  readonly arguments: readonly Argument[];
  /** From the first character of the name to one past the closing bracket. */
  readonly start: number;
  readonly end: number;
}

export interface Argument {
  readonly items: readonly Node[];
  /** The argument without spaces around it; equal when it is empty. */
  readonly start: number;
  readonly end: number;
}

const functionName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Reads the tree of a revset. (HOX-2.3) It refuses only what can have no meaning to anyone, an open string or a
 * bracket without its partner; everything else that jj might refuse is left to jj.
 */
export function parse(
  text: string,
):
  | { readonly ok: true; readonly items: readonly Node[] }
  | { readonly ok: false; readonly error: RevsetError } {
  const cut = tokenize(text);
  if (!cut.ok) return cut;
  const { tokens } = cut;
  let at = 0;
  let error: RevsetError | undefined;

  /** Reads up to the closing bracket (or, in a call, the comma) that ends this level, without taking it. */
  function readItems(level: "top" | "group" | "call"): Node[] {
    const items: Node[] = [];
    for (let token = tokens[at]; token && !error; token = tokens[at]) {
      if (isOperator(token, ")") && level !== "top") break;
      if (isOperator(token, ",") && level === "call") break;
      at++;
      if (isOperator(token, ")")) {
        error = closesNothing(token);
      } else if (isOperator(token, "(")) {
        const inside = readItems("group");
        items.push({
          kind: "group",
          items: inside,
          start: token.start,
          end: close(token)?.end ?? text.length,
        });
      } else if (token.kind === "symbol" && functionName.test(token.text) && isOperator(tokens[at], "(")) {
        items.push(readCall(token));
      } else {
        items.push({ kind: "leaf", token });
      }
    }
    return items;
  }

  function close(open: Token | undefined): Token | undefined {
    const token = tokens[at];
    if (isOperator(token, ")")) {
      at++;
      return token;
    }
    if (open) {
      error ??= isNotClosed(open);
    }
    return undefined;
  }

  function readCall(name: Token): Call {
    const open = tokens[at++];
    const found: Argument[] = [];
    for (;;) {
      const items = readItems("call");
      const solid = items.filter((item) => item.kind !== "leaf" || item.token.kind !== "space");
      const here = tokens[at]?.start ?? text.length;
      const first = solid[0];
      const last = solid.at(-1);
      const start = first ? nodePlace(first).start : here;
      const end = last ? nodePlace(last).end : here;
      const more = isOperator(tokens[at], ",");
      // A trailing comma is allowed.
      if (solid.length > 0 || more) found.push({ items: solid, start, end });
      if (!more || error) break;
      at++;
    }
    const closing = close(open);
    return {
      kind: "call",
      name: name.text,
      arguments: found,
      start: name.start,
      end: closing?.end ?? text.length,
    };
  }

  const items = readItems("top");
  return error ? { ok: false, error } : { ok: true, items };
}

const isOperator = (token: Token | undefined, operator: string): boolean =>
  token?.kind === "operator" && token.text === operator;

const closesNothing = ({ start, end }: Token): RevsetError => ({
  message: "Unmatched closing bracket. Remove it, or add an opening bracket before it.",
  start,
  end,
});

const isNotClosed = ({ start, end }: Token): RevsetError => ({
  message: "Unclosed bracket. Add ) after its content.",
  start,
  end,
  expected: [")"],
});

/** The position of a node in the text. */
export const nodePlace = (node: Node): { readonly start: number; readonly end: number } =>
  node.kind === "leaf" ? node.token : node;

/** Every call in the tree, outer ones before those in their arguments. */
export function* callsIn(items: readonly Node[]): Generator<Call> {
  for (const item of items) {
    if (item.kind === "group") yield* callsIn(item.items);
    if (item.kind !== "call") continue;
    yield item;
    for (const argument of item.arguments) yield* callsIn(argument.items);
  }
}
