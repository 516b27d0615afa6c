import { startOf } from "./format-text.ts";

/**
 * Invisible characters with an effect: terminal escapes (C0, C1), marks that change the direction of text,
 * zero-width joiners and spaces, letters that are drawn as nothing, tags and selectors that can carry a
 * message, and line ends that only some programs recognise.
 */
const shapeless = /(?!\n|\t|\ufe0e|\ufe0f)(?:[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{DI}]|\u2800)/gu;

/** Scripts in which a joiner changes how letters are drawn, so that it is part of a word. */
const joining =
  /[\p{sc=Arab}\p{sc=Syrc}\p{sc=Mong}\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}\p{sc=Orya}\p{sc=Taml}\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}\p{sc=Khmr}]$/u;
const pictureBefore = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u;
const pictureAfter = /^\p{Extended_Pictographic}/u;

/**
 * Untrusted text for display: invisible characters with an effect are made visible. Line feeds, tabs and the
 * joiners of words and pictures stay.
 *
 * @param text anything: of agents, files, commands, other programs
 * @returns the same text with ␛ for ESC and ⟨U+202E⟩ for others; nothing in it affects a terminal or a page
 */
export const shownText = (text: string): string =>
  text.replace(shapeless, (sign, at: number) =>
    isHarmless(sign, text, at) ? sign : shapeOf(sign.codePointAt(0) ?? 0),
  );

/**
 * What a text that is edited hides: a text field shows it as it is, and saves it so.
 *
 * @param text anything
 * @returns each sign once, as `shownText` writes it
 */
export const hiddenSigns = (text: string): readonly string[] => [
  ...new Set(
    [...text.matchAll(shapeless)].flatMap(({ 0: sign, index }) =>
      isHarmless(sign, text, index) ? [] : [shapeOf(sign.codePointAt(0) ?? 0)],
    ),
  ),
];

/** A line that ends as on Windows, and joiners of words and pictures, are nothing to point at. */
function isHarmless(sign: string, text: string, at: number): boolean {
  if (sign === "\r") return text[at + 1] === "\n";
  return (sign === "\u200c" || sign === "\u200d") && isPartOfWord(text, at, sign.charCodeAt(0));
}

const shapeOf = (code: number): string =>
  code < 0x20
    ? String.fromCharCode(0x2400 + code)
    : `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;

function isPartOfWord(text: string, at: number, code: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at);
  const after = text.slice(at + 1, at + 3);
  return joining.test(before) || (code === 0x200d && pictureBefore.test(before) && pictureAfter.test(after));
}

/**
 * Text of others as part of one line: nothing in it begins another one.
 *
 * @param text anything
 * @returns `shownText` with ␊ for line ends and ␉ for tabs
 */
export const shownLine = (text: string): string =>
  shownText(text.replaceAll("\r\n", "\n")).replaceAll("\n", "␊").replaceAll("\t", "␉");

/**
 * The name of a file, a branch or an agent for display: one that could be mistaken for another one, or for
 * none or several, is quoted.
 *
 * @param name of any length; nothing is cut
 * @returns the name itself if it is plain; else in quotation marks, with invisible characters as in JSON
 */
export function shownName(name: string): string {
  const isPlain =
    name !== "" &&
    name === name.trim() &&
    shownLine(name) === name &&
    !/["⟨␀-␡]|\p{Zs}(?<! )| {2}/u.test(name);
  if (isPlain) return name;
  const inside = name.replace(/["\\]|[\p{C}\p{Z}\p{DI}\u2800]/gu, (sign) => {
    if (sign === " ") return sign;
    const short = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" }[sign];
    return short ?? `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`;
  });
  return `"${inside}"`;
}

/**
 * A long text as parts that can be read one after another: whole lines, and whole signs where a line is longer than a
 * part.
 *
 * @param size units of the string that a part may have
 * @returns at least one part; all of them together are the text
 */
export function partsOf(text: string, size: number): readonly string[] {
  const parts: string[] = [];
  for (let rest = text; rest !== ""; ) {
    const room = startOf(rest, size);
    const end = room.length < rest.length ? room.lastIndexOf("\n") + 1 : 0;
    const part = end > 0 ? room.slice(0, end) : room;
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return parts.length === 0 ? [""] : parts;
}

/**
 * Untrusted text on separate lines, so that none looks like a line of ours.
 *
 * @param text anything, of any number of lines
 * @returns its lines, each behind a bar; none for an empty text
 */
export const block = (text: string): readonly string[] =>
  text.trim() === ""
    ? []
    : text
        .trimEnd()
        .split(/\r?\n/u)
        .map((line) => `  │ ${line}`);
