/**
 * A file name as one line of plain characters: one with a line break must not look like two files, one with a
 * direction mark like another.
 */
export const quotedWhereOdd = (name: string): string =>
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|^\s|\s$/u.test(name)
    ? JSON.stringify(name).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped)
    : name;

const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
