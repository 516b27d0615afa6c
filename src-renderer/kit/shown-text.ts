/**
 * Text of others as a person must see it: signs that have no shape of their own but act (terminal escapes, and the
 * marks that turn the direction of text around, with which a line can be made to read as another one) get a shape.
 */
export const shownText = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is shown
  text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/gu, (sign) => {
    const code = sign.charCodeAt(0);
    // A line that ends as on Windows is nothing to point at.
    if (code === 0x0d) return sign;
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
