/** The median and spread of a set of figures. */
export interface Spread {
  readonly least: number;
  /** The first quartile. */
  readonly lower: number;
  readonly median: number;
  /** The third quartile. */
  readonly upper: number;
  readonly most: number;
}

/**
 * Quartiles between neighbours, as spreadsheets and most statistics programs have them.
 *
 * @param figures in any order; what is no finite number is left out
 * @returns null where there are fewer than two: one figure has no spread
 */
export function spreadOf(figures: readonly number[]): Spread | null {
  const sorted = figures.filter(Number.isFinite).sort((a, b) => a - b);
  if (sorted.length < 2) return null;
  return {
    least: at(sorted, 0),
    lower: at(sorted, 0.25),
    median: at(sorted, 0.5),
    upper: at(sorted, 0.75),
    most: at(sorted, 1),
  };
}

/** The quantile of a share, interpolated between its two neighbours. */
function at(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const [below = 0, above = below] = sorted.slice(Math.floor(place), Math.floor(place) + 2);
  return below + (above - below) * (place - Math.floor(place));
}
