/** A word as a POSIX shell takes it, whatever is in it. @returns it unchanged where no shell reads anything into it */
export const shellQuote = (word: string): string =>
  /^[\w./@+-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
