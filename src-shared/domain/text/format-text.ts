/**
 * Texts shortened, counted and with units. Shorten them here only: a sign outside the basic plane is two units of a
 * string and up to four bytes of UTF-8, half of one is no text, and a provider refuses a whole request for it.
 */

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Whether a cut before this place of a text would halve a sign. */
const halves = (text: string, at: number): boolean =>
  at > 0 && at < text.length && isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at));

/**
 * The beginning of a text.
 *
 * @param most units of the string (`length`) that it may have; one less where the last sign would be halved
 */
export function startOf(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = Math.max(0, most);
  return text.slice(0, halves(text, end) ? end - 1 : end);
}

/**
 * The end of a text.
 *
 * @param most units of the string (`length`) that it may have; one less where the first sign would be halved
 */
export function endOf(text: string, most: number): string {
  if (text.length <= most) return text;
  const begin = text.length - Math.max(0, most);
  return text.slice(halves(text, begin) ? begin + 1 : begin);
}

/**
 * A text that has to be short, with a sign that it was shortened.
 *
 * @param most units of the string, the sign included
 */
export const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${startOf(text, most - 1)}…`;

/**
 * The beginning and the end of a text, with a note between them about what was left out.
 *
 * @param most maximum length of beginning and end together, in UTF-16 units
 * @param omission the note, given the number of units left out
 */
export function withoutMiddle(text: string, most: number, omission: (left: number) => string): string {
  if (text.length <= most) return text;
  const head = startOf(text, Math.ceil(most / 2));
  const tail = endOf(text, Math.floor(most / 2));
  return `${head}${omission(text.length - head.length - tail.length)}${tail}`;
}

/**
 * A value whose unpaired surrogates are replaced by U+FFFD, as in any UTF-8. Well-formed values are returned
 * unchanged.
 *
 * @param value plain data; field names are trusted and kept
 */
export function wellFormed<Value>(value: Value): Value {
  // Nearly all of them are, and a model's whole conversation passes here with every request.
  if (isWellFormed(value)) return value;
  if (typeof value === "string") return value.toWellFormed() as Value;
  if (Array.isArray(value)) return value.map(wellFormed) as Value;
  return Object.fromEntries(
    Object.entries(value as object).map(([name, part]) => [name.toWellFormed(), wellFormed(part)]),
  ) as Value;
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  return Object.entries(value).every(([name, part]) => name.isWellFormed() && isWellFormed(part));
}

/**
 * How many there are of something.
 *
 * @param one what one of them is called, of a word that takes an s for several
 * @returns `1 task`, `3 tasks`
 */
export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;

/**
 * A text without certain characters at its end. An expression such as `/[. ]+$/` restarts at each of them,
 * which takes quadratic time.
 *
 * @param signs each of them is removed
 */
export function trimEndOf(text: string, signs: string): string {
  let end = text.length;
  while (end > 0 && signs.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** What is waited for when Hox has been asked to end. */
export interface Ending {
  /** Names of the agents whose work is being saved. */
  readonly saving: readonly string[];
  /** Other work in progress, after "Waiting for"; null: none. */
  readonly waitsFor: string | null;
}

const named = 4;

/** The line after a request to end Hox, with the way to end it without waiting. */
export function endingLine({ saving, waitsFor }: Ending): string {
  const work = saving.length === 0 ? "" : ` the work of ${listed(saving)}`;
  const wait = waitsFor === null ? "" : ` Waiting for ${waitsFor}.`;
  return `Saving${work}…${wait} Ctrl-C again quits immediately; acknowledged changes are on disk.`;
}

function listed(names: readonly string[]): string {
  const rest = names.length > named ? `${names.length - named + 1} others` : (names.at(-1) ?? "");
  const first = names.slice(0, Math.min(names.length, named) - 1);
  return first.length === 0 ? rest : `${first.join(", ")} and ${rest}`;
}

/** What they read when they did not want to wait. */
export const endedLine = "Quit immediately. The next start recovers unsaved work and resumes the run.";

const units = ["kB", "MB", "GB", "TB"] as const;

/**
 * An amount of data for display, in powers of 1000 as disks are sold: `812 bytes`, `4.2 MB`, `130 GB`.
 * @param bytes 0 or more
 */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  let amount = bytes;
  let unit = -1;
  // 999.5 of a unit would read as 1000 of it.
  while (amount >= 999.5 && unit < units.length - 1) {
    amount /= 1000;
    unit += 1;
  }
  return `${amount < 9.95 ? amount.toFixed(1) : Math.round(amount)} ${units[unit]}`;
}
