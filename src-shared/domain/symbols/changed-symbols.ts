/** What a task changed in a file, by symbol: two versions of the file are compared with their outlines. */

import { isWithin, lastName, type Outline } from "./outline.ts";

/** One version of a source file. */
export interface SourceVersion {
  readonly text: string;
  readonly outline: Outline;
}

export interface FileEdit {
  /** Names of symbols that were added, changed or removed; not those around them. */
  readonly changed: ReadonlySet<string>;
  /** Those of which others see the change: a different signature, or none any more. */
  readonly signatures: ReadonlySet<string>;
  /** Whether statements outside symbols changed; imports do not count. */
  readonly hasOtherCode: boolean;
}

/** The edit that makes one version of a file another. Moved code and blank lines are no change. */
export function editBetween(before: SourceVersion, after: SourceVersion): FileEdit {
  const [had, has] = [textsOf(before), textsOf(after)];
  const changed = new Set<string>();
  const signatures = new Set<string>();
  for (const name of new Set([...had.symbols.keys(), ...has.symbols.keys()])) {
    const [old, now] = [had.symbols.get(name), has.symbols.get(name)];
    if (old?.text !== now?.text) changed.add(name);
    if (old !== undefined && old.signature !== now?.signature) signatures.add(name);
  }
  return { changed, signatures, hasOtherCode: had.other !== has.other };
}

/** The lines of each symbol without those of symbols inside it, and all lines that belong to none. */
function textsOf({ text, outline: { symbols, imports } }: SourceVersion) {
  const lines = text.split(/\r?\n/u);
  const owners: (string | null)[] = lines.map(() => "");
  for (const { from, to } of imports) owners.fill(null, from - 1, to);
  // Those inside come later.
  for (const { name, from, to } of symbols) owners.fill(name, from - 1, to);
  const own = new Map<string, { text: string; signature: string }>();
  for (const { name, signature } of symbols) {
    const known = own.get(name);
    own.set(name, { text: "", signature: known ? `${known.signature}\n${signature}` : signature });
  }
  let other = "";
  for (const [at, line] of lines.entries()) {
    const owner = owners[at];
    if (line.trim() === "" || owner === null || owner === undefined) continue;
    const symbol = own.get(owner);
    if (symbol) symbol.text += `${line}\n`;
    else other += `${line}\n`;
  }
  return { symbols: own, other };
}

/** What two tasks both changed in a file, for a reader; null if they changed different symbols. */
export function sharedChange(one: FileEdit, other: FileEdit): string | null {
  for (const mine of one.changed)
    for (const theirs of other.changed) {
      if (isWithin(mine, theirs)) return mine;
      if (isWithin(theirs, mine)) return theirs;
    }
  return one.hasOtherCode && other.hasOtherCode ? "code outside functions and classes" : null;
}

/** A symbol whose signature an edit changed and that new code of another task mentions; null if there is none. */
export function mentionedSignature(edit: FileEdit, addedCode: string): string | null {
  const words = new Set(addedCode.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu));
  return [...edit.signatures].find((name) => words.has(lastName(name))) ?? null;
}
