/**
 * The one way to shorten a text. A sign outside the basic plane is two units of a string and up to four bytes of UTF-8:
 * half of one is no text, and a provider refuses a whole request for it.
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
  if (typeof value === "string") return (value.isWellFormed() ? value : value.toWellFormed()) as Value;
  if (Array.isArray(value)) {
    const parts = value.map(wellFormed);
    return parts.every((part, at) => part === value[at]) ? value : (parts as Value);
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(
    ([name, part]) => [name.toWellFormed(), wellFormed(part)] as const,
  );
  const isSame = entries.every(
    ([name, part]) => Object.hasOwn(value, name) && part === (value as Record<string, unknown>)[name],
  );
  return isSame ? value : (Object.fromEntries(entries) as Value);
}
