import { hoxFunctions } from "#shared/domain/revset/figures.ts";
import { nearestWord } from "#shared/domain/text/nearest-word.ts";
import type { JjError } from "../jj/errors.ts";

export interface RevsetMistake {
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
