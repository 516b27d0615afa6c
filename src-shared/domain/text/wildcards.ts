/**
 * Whether a text fits a pattern in which `*` stands for any text. An expression with several `.*` tries every way to share a
 * text among them; this takes the first place for each part, which is enough.
 */
export function fitsWildcards(pattern: string, text: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
