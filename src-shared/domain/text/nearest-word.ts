/** Single-character edits (insert, delete, replace, swap of neighbours) that turn one word into another. */
export function editDistance(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, at) => at)];
  const cell = (row: number, column: number): number => rows[row]?.[column] ?? Infinity;
  for (let row = 1; row <= from.length; row++) {
    const line = [row];
    rows.push(line);
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let best = Math.min(
        cell(row - 1, column) + 1,
        cell(row, column - 1) + 1,
        cell(row - 1, column - 1) + (same ? 0 : 1),
      );
      if (from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        best = Math.min(best, cell(row - 2, column - 2) + 1);
      }
      line.push(best);
    }
  }
  return cell(from.length, to.length);
}

/**
 * The word that was probably meant: one that begins with what was typed, or is a few typing errors away.
 * Upper and lower case do not matter. Null when nothing is near.
 */
export function nearestWord(typed: string, words: readonly string[]): string | null {
  const wanted = typed.toLowerCase().replaceAll("-", "_");
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const word of words) {
    const candidate = word.toLowerCase().replaceAll("-", "_");
    const begins = wanted.length >= 2 && candidate.startsWith(wanted);
    const distance = begins ? 0.5 : editDistance(wanted, candidate);
    if (distance < bestDistance) {
      best = word;
      bestDistance = distance;
    }
  }
  return best;
}
