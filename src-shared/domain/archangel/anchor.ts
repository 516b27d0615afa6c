/** How a comment follows the line that it is about, through everything that is written around it. */

/** A line with its number, from 1 on. */
export interface NumberedLine {
  readonly line: number;
  readonly words: string;
}

/**
 * The current number of a line: the old one, or the nearest line with the same text.
 *
 * @param text of the file as it is now; null: there is no such file
 * @param line the old number, from 1 on
 * @param lineText the line's text
 * @returns null if it is gone
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
