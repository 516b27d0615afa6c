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
