import { hoxFunctions } from "#shared/domain/revset/hox-functions.ts";
import { translateRevset } from "#shared/domain/revset/revset.ts";
import { nearestWord } from "#shared/domain/text/nearest-word.ts";
import type { Repository } from "../jj/ports/repository-interface.ts";
import { JjError } from "../jj/process/errors.ts";
import { Refusal } from "./refusal.ts";

/** An error in a revset, with its position in the user's text. */
export class RevsetRefusal extends Refusal {
  override readonly name = "RevsetRefusal";
  readonly start: number;
  readonly end: number;
  constructor({
    message,
    start,
    end,
    expected,
  }: { message: string; start: number; end: number; expected?: readonly string[] }) {
    super(message, expected && expected.length > 0 ? `Write ${expected.slice(0, 5).join(", ")}.` : null);
    this.start = start;
    this.end = end;
  }
}

/** Hox's functions translated, or `RevsetRefusal`. */
export async function revsetForJj(repository: Pick<Repository, "notes">, text: string): Promise<string> {
  const translation = translateRevset(text, await repository.notes());
  if (!translation.ok) throw new RevsetRefusal(translation.error);
  return translation.revset;
}

/** Commit ids that a revset names, jj's own language mixed with Hox's functions. */
export async function filterGraph(
  repository: Repository,
  revset: string,
): Promise<{ commits: readonly string[] }> {
  const translated = await revsetForJj(repository, revset);
  try {
    const found = await repository.query(translated);
    return { commits: found.map((change) => change.commitId) };
  } catch (error) {
    const mistake = error instanceof JjError ? mistakeFoundByJj(revset, error) : null;
    throw mistake ? new RevsetRefusal(mistake) : error;
  }
}

interface RevsetMistake {
  readonly message: string;
  /** Position in the user's text, in characters. */
  readonly start: number;
  readonly end: number;
  readonly expected?: readonly string[];
}

/**
 * A syntax error that jj found, located in what the user wrote. jj points into the translated revset, so the
 * text that it underlines is looked up in the original.
 * @returns null when jj gives no position, or its text is not in the original
 */
export function mistakeFoundByJj(text: string, error: JjError): RevsetMistake | null {
  const missing = /Revision `([^`]+)` doesn't exist/u.exec(error.stderr)?.[1];
  const underlined = missing ? { words: missing, before: 0 } : underlinedText(error.stderr);
  if (!underlined) return null;
  const places = placesOf(underlined.words, text);
  const start = places[Math.min(underlined.before, places.length - 1)];
  if (start === undefined) return null;
  const near = nearestWord(
    underlined.words,
    hoxFunctions.map((each) => each.name),
  );
  const unknownFunction = /Function `[^`]+` doesn't exist/u.exec(error.stderr)?.[0];
  return {
    message: unknownFunction ?? error.message,
    start,
    end: start + underlined.words.length,
    ...(unknownFunction && near ? { expected: [`${near}()`] } : {}),
  };
}

/** What jj underlines, and how many times the same text occurs before it in the line that jj quotes. */
function underlinedText(stderr: string): { words: string; before: number } | null {
  const column = Number(/-->\s+\d+:(\d+)/u.exec(stderr)?.[1]);
  const drawing = /^\s*\d+ \| (.*)\n\s*\| *(\^(?:-*\^)?)/mu.exec(stderr);
  const [, line, underline] = drawing ?? [];
  if (!Number.isInteger(column) || line === undefined || underline === undefined) return null;
  const characters = [...line];
  const words = characters
    .slice(column - 1, column - 1 + underline.length)
    .join("")
    .trim();
  if (words === "") return null;
  return { words, before: placesOf(words, characters.slice(0, column - 1).join("")).length };
}

function placesOf(words: string, text: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) places.push(at);
  return places;
}
