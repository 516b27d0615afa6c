/** Finds keys in the help: by words of what they do and of where they work, and by the keys themselves. */
import { shownKeys } from "../kit/keyboard.ts";

export interface HelpLine {
  readonly keys: string;
  /** The last of several. */
  readonly to?: string;
  readonly what: string;
}

export interface HelpPlace {
  readonly title: string;
  readonly lines: readonly HelpLine[];
}

/** What people call keys beside what stands on them here. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  mod: ["ctrl", "control", "cmd", "command"],
  ctrl: ["control"],
  alt: ["option"],
  enter: ["return"],
  escape: ["esc"],
  delete: ["del"],
  arrowup: ["arrow", "up"],
  arrowdown: ["arrow", "down"],
  arrowleft: ["arrow", "left"],
  arrowright: ["arrow", "right"],
};

const splitKeys = (keys: string): readonly string[] => keys.toLowerCase().split("+");

/** Everything that a key of a combination may be called. */
function namesOf(part: string): readonly string[] {
  return [part, ...shownKeys(part).map((shown) => shown.toLowerCase()), ...(otherNames[part] ?? [])];
}

/** One letter or sign is a key itself; more may be the beginning of its name. */
const isCalled = (part: string, typed: string): boolean =>
  namesOf(part).some((name) => name === typed || (typed.length > 1 && name.startsWith(typed)));

const isBetween = (typed: string, from: string, to: string): boolean =>
  [typed, from, to].every((key) => /^[a-z0-9]$/u.test(key)) && from <= typed && typed <= to;

function hasKey({ keys, to }: HelpLine, typed: string): boolean {
  const parts = splitKeys(keys);
  if ([...parts, ...(to === undefined ? [] : splitKeys(to))].some((part) => isCalled(part, typed)))
    return true;
  return to !== undefined && isBetween(typed, parts.at(-1) ?? "", splitKeys(to).at(-1) ?? "");
}

/** `ctrl+k` asks for both; a lone plus is the key of that name. */
function isByKeys(line: HelpLine, word: string): boolean {
  const typed = word.split("+").filter((part) => part !== "");
  return typed.length === 0 ? hasKey(line, "plus") : typed.every((part) => hasKey(line, part));
}

/** Short words from their beginning, so that a letter finds its key and not every line that it is in. */
const isInText = (text: string, word: string): boolean =>
  word.length > 2
    ? text.includes(word)
    : text
        .split(/[^\p{L}\p{N}]+/u)
        .some((part) => part.startsWith(word) && (word.length > 1 || part === word));

/** Those lines that all of the words are about, in their places; places without any are left out. */
export function findKeys(places: readonly HelpPlace[], typed: string): readonly HelpPlace[] {
  const words = typed.toLowerCase().split(/\s+/u).filter(Boolean);
  if (words.length === 0) return places;
  return places.flatMap(({ title, lines }) => {
    const found = lines.filter((line) => {
      const text = `${title} ${line.what}`.toLowerCase();
      return words.every((word) => isInText(text, word) || isByKeys(line, word));
    });
    return found.length === 0 ? [] : [{ title, lines: found }];
  });
}
