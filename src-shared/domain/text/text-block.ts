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
