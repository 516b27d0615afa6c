/** How a comment follows the line that it is about, through everything that is written around it. */

/** A line with its number, from 1 on. */
export interface NumberedLine {
  readonly line: number;
  readonly words: string;
}

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
  const lines = text.split("\n").map((words, place) => ({ line: place + 1, words }));
  return nearestLine(lines, line, lineText);
}

/** As `lineNow`, where only some lines of the text are known. */
export function nearestLine(lines: readonly NumberedLine[], line: number, lineText: string): number | null {
  const wanted = lineText.trim();
  return lines.reduce<number | null>(
    (nearest, { line: place, words }) =>
      words.trim() === wanted && (nearest === null || Math.abs(place - line) < Math.abs(nearest - line))
        ? place
        : nearest,
    null,
  );
}
