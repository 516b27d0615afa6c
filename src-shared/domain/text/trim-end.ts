/**
 * A text without some signs at its end. An expression such as `/[. ]+$/` begins anew at each of them, which takes the square
 * of their number.
 *
 * @param signs each of them is taken away
 */
export function trimEndOf(text: string, signs: string): string {
  let end = text.length;
  while (end > 0 && signs.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
