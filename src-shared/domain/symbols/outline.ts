/** The symbols of a source file and the lines that each takes: what a task changes, in units smaller than a file. */

/** A definition in a source file, with the comments and decorators above it. */
export interface SourceSymbol {
  /** With the names around it, as in `UserStore.save`. */
  readonly name: string;
  /** First and last line, from 1. */
  readonly from: number;
  readonly to: number;
  /** How others use it: parameters and types, without a body. */
  readonly signature: string;
}

export interface Outline {
  /** In the order of the file, each before those inside it. */
  readonly symbols: readonly SourceSymbol[];
  /** Lines of import statements. */
  readonly imports: readonly { readonly from: number; readonly to: number }[];
}

/** By path; a file that is not here was not read, or is of a language that is not parsed. */
export type Outlines = ReadonlyMap<string, Outline>;

/** Where a task changes a file: a symbol that is there, or a new one in a container (null: in the file itself). */
export type Place =
  | { readonly kind: "existing"; readonly symbol: SourceSymbol }
  | { readonly kind: "new"; readonly name: string; readonly container: string | null };

/** The name without the names around it. */
export const lastName = (name: string): string => name.slice(name.lastIndexOf(".") + 1);

/** Whether a symbol is another one, or inside it. */
export const isWithin = (inner: string, outer: string): boolean =>
  inner === outer || inner.startsWith(`${outer}.`);

/** The name as outlines write it: `Store::save()` is `Store.save`. */
const normalized = (name: string): string => name.trim().replace(/\(\)$/u, "").replaceAll("::", ".");

/** Symbols of a name. Names around it may be left out: `save` is `UserStore.save`. Several where it is ambiguous. */
export function symbolsNamed({ symbols }: Outline, given: string): readonly SourceSymbol[] {
  const name = normalized(given);
  const exact = symbols.filter((symbol) => symbol.name === name);
  return exact.length > 0 ? exact : symbols.filter((symbol) => symbol.name.endsWith(`.${name}`));
}

/** What a name means in a file; a name that nothing has is a new symbol. */
export function placesNamed(outline: Outline, given: string): readonly Place[] {
  const found = symbolsNamed(outline, given);
  if (found.length > 0) return found.map((symbol) => ({ kind: "existing", symbol }));
  const name = normalized(given);
  const around = name.includes(".") ? name.slice(0, name.lastIndexOf(".")) : null;
  const container = around === null ? undefined : symbolsNamed(outline, around)[0];
  return [{ kind: "new", name, container: container?.name ?? null }];
}

/** Sentences that say what to leave alone name no work. */
const excluded = /\b(?:not|never|nor|leave|without)\b.*\b(?:touch|chang|edit|modif|alone|unchanged)/iu;
/** In backticks any name; else only words that are no English: `camelCase`, `snake_case`, `a.b`, `call()`. */
const identifiers =
  /`([^`\n]+)`|(?<![\w$.])((?:[A-Za-z_$][\w$]*(?:\.|::))+[A-Za-z_$][\w$]*|[A-Za-z_$][\w$]*\(\)|[a-z$]+\d*[A-Z][\w$]*|[A-Z][a-z]+[A-Z][\w$]*|[A-Za-z]+_\w+)/gu;

/** Sentences that say what is to be added. */
const adding = /\b(?:add|create|introduce|write)s?\b/iu;
const plainName = /^[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*$/u;

/**
 * Where a text says that a file is changed: symbols that it mentions by exact name, of a container and a symbol in it the
 * inner one; and names in backticks that it says to add.
 */
export function placesMentioned(outline: Outline, text: string): readonly Place[] {
  const found = new Set<SourceSymbol>();
  const added = new Map<string, Place>();
  for (const sentence of text.split(/(?<=[.;!?])\s+|\n+/u)) {
    if (excluded.test(sentence)) continue;
    for (const [, quoted, word = ""] of sentence.matchAll(identifiers)) {
      const [name = ""] = (quoted ?? word).split("(", 1);
      const symbols = symbolsNamed(outline, name);
      for (const symbol of symbols) found.add(symbol);
      if (quoted !== undefined && symbols.length === 0 && adding.test(sentence) && plainName.test(name))
        for (const place of placesNamed(outline, name)) added.set(name, place);
    }
  }
  const inner = [...found].filter(
    ({ name }) => ![...found].some((other) => other.name !== name && isWithin(other.name, name)),
  );
  return [...inner.map((symbol): Place => ({ kind: "existing", symbol })), ...added.values()];
}

/** How two places in one file meet. */
export interface PlacesMeeting {
  /** `end`: both add to the end of the same container. `neighbours`: their lines touch. */
  readonly kind: "same" | "neighbours" | "end";
  /** What both change; of `end` the container, none for the file itself. */
  readonly names: readonly string[];
}

/** How changes at two places meet; null where they merge. */
export function placesMeet(outline: Outline, one: Place, other: Place): PlacesMeeting | null {
  if (one.kind === "new" && other.kind === "new") {
    if (one.name === other.name) return { kind: "same", names: [one.name] };
    return one.container === other.container
      ? { kind: "end", names: one.container === null ? [] : [one.container] }
      : null;
  }
  if (one.kind === "new") return other.kind === "new" ? null : newMeets(outline, one, other.symbol);
  if (other.kind === "new") return newMeets(outline, other, one.symbol);
  const [a, b] = [one.symbol, other.symbol];
  if (isWithin(a.name, b.name)) return { kind: "same", names: [a.name] };
  if (isWithin(b.name, a.name)) return { kind: "same", names: [b.name] };
  const isApart = a.to + 1 < b.from || b.to + 1 < a.from;
  return isApart ? null : { kind: "neighbours", names: [a.name, b.name] };
}

type NewPlace = Extract<Place, { kind: "new" }>;

function newMeets({ symbols }: Outline, added: NewPlace, changed: SourceSymbol): PlacesMeeting | null {
  if (added.container !== null && isWithin(added.container, changed.name))
    return { kind: "same", names: [added.name] };
  // A line that is added after the last field or entry touches it; definitions with a blank line between do not.
  const siblings = symbols.filter(({ name }) =>
    added.container === null
      ? !name.includes(".")
      : name.startsWith(`${added.container}.`) && !name.slice(added.container.length + 1).includes("."),
  );
  const [before, last] = siblings.slice(-2);
  const isDense = last !== undefined && before !== undefined && before.to + 1 >= last.from;
  return isDense && isWithin(changed.name, last.name) && changed.to === last.to
    ? { kind: "neighbours", names: [changed.name, added.name] }
    : null;
}
