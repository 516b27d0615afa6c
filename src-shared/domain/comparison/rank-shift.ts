/** Whether two groups of figures differ, without a word about how they are distributed. */

/** Of many figures: the one in the middle, and between which half of them lie. */
export interface Spread {
  readonly count: number;
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** The figure below which a share of them lies, between two of them in proportion. `sorted` holds at least one. */
function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
}

const ascending = (figures: readonly number[]): readonly number[] => figures.toSorted((a, b) => a - b);

/** Median and quartiles; null where there is no figure. */
export function spreadOf(figures: readonly number[]): Spread | null {
  if (figures.length === 0) return null;
  const sorted = ascending(figures);
  return {
    count: sorted.length,
    median: quantile(sorted, 0.5),
    low: quantile(sorted, 0.25),
    high: quantile(sorted, 0.75),
  };
}

/** By how much one group lies above another one. */
export interface Shift {
  /** The median of all differences between one of the first and one of the second. */
  readonly median: number;
  /** The true shift lies between these with the certainty that was asked for. */
  readonly low: number;
  readonly high: number;
}

/**
 * How far `first` lies above `second`, after Hodges and Lehmann, with the interval that belongs to the rank-sum test.
 * Nothing is drawn at random: the same figures give the same answer.
 *
 * @param doubt the share of cases in which the interval may miss the true shift, above 0 and below 1
 * @returns null where there are too few figures for that: with 3 and 3 no interval is sure to 95 %
 */
export function shiftOf(first: readonly number[], second: readonly number[], doubt: number): Shift | null {
  const passedOver = outerDifferences(first.length, second.length, doubt);
  if (passedOver === null) return null;
  const differences = ascending(first.flatMap((one) => second.map((other) => one - other)));
  return {
    median: quantile(differences, 0.5),
    low: differences[passedOver] ?? 0,
    high: differences[differences.length - 1 - passedOver] ?? 0,
  };
}

/** From so many figures on each side the normal curve is as good as counting. */
const countedUpTo = 40;

/** How many differences may be left out at each end; null: even the outermost two are not sure enough. */
function outerDifferences(first: number, second: number, doubt: number): number | null {
  if (first === 0 || second === 0) return null;
  const pairs = first * second;
  if (Math.max(first, second) > countedUpTo) {
    const deviation = Math.sqrt((pairs * (first + second + 1)) / 12);
    const place = Math.floor(pairs / 2 - normalQuantile(1 - doubt / 2) * deviation);
    return place < 1 ? null : Math.min(place - 1, Math.floor((pairs - 1) / 2));
  }
  const counts = rankSumCounts(first, second);
  const all = counts.reduce((sum, count) => sum + count, 0);
  let below = 0;
  let passedOver = -1;
  for (const count of counts) {
    below += count;
    if (below / all > doubt / 2) break;
    passedOver += 1;
  }
  return passedOver < 0 ? null : Math.min(passedOver, Math.floor((pairs - 1) / 2));
}

/** In how many orders of all figures so many pairs stand with the second ahead, for each number of pairs. */
function rankSumCounts(first: number, second: number): readonly number[] {
  const pairs = first * second;
  // The coefficients of the Gaussian binomial: multiplied by (1 − q^(second+i)), divided by (1 − q^i).
  const counts = new Array<number>(pairs + 1).fill(0);
  counts[0] = 1;
  for (let one = 1; one <= first; one++) {
    for (let at = pairs; at >= second + one; at--)
      counts[at] = (counts[at] ?? 0) - (counts[at - second - one] ?? 0);
    for (let at = one; at <= pairs; at++) counts[at] = (counts[at] ?? 0) + (counts[at - one] ?? 0);
  }
  return counts;
}

/** How many standard deviations above the mean a share of the normal curve ends; after Abramowitz and Stegun, 26.2.23. */
function normalQuantile(share: number): number {
  const t = Math.sqrt(-2 * Math.log(1 - share));
  return (
    t -
    (2.515517 + 0.802853 * t + 0.010328 * t * t) /
      (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t)
  );
}
