/** How a comment follows the line that it is about, through everything that is written around it. */

/**
 * Where a line stands in a text: where it stood, or the place nearest to that where the same words stand.
 *
 * @param text of the file as it is now; null: there is no such file
 * @param line where it stood, from 1 on
 * @param lineText the line in its own words
 * @returns null where it is gone
 */
export function lineNow(text: string | null, line: number, lineText: string): number | null {
  if (text === null) return null;
  const wanted = lineText.trim();
  const places = text.split("\n").flatMap((words, place) => (words.trim() === wanted ? [place + 1] : []));
  return places.reduce<number | null>(
    (nearest, place) =>
      nearest === null || Math.abs(place - line) < Math.abs(nearest - line) ? place : nearest,
    null,
  );
}
