/** What a task or a validator usually costs and takes: the median and range of earlier runs, by model. */
import { counted } from "../text/format-text.ts";

/** What one agent spent on its task, or one validator on its votes, in a run. */
export interface Sample {
  readonly model: string;
  readonly microDollars: number;
  /** At work: without pauses and the provider's limits. */
  readonly milliseconds: number;
}

/** The middle half of all samples is between `low` and `high`; of one sample all three are equal. */
export interface Range {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

export interface Forecast {
  readonly model: string;
  /** Samples it comes from, at least 1. */
  readonly count: number;
  readonly microDollars: Range;
  readonly milliseconds: Range;
}

/** One for each model that earlier complete runs used; empty where there are none. */
export interface RunForecasts {
  /** Of one agent's work on one task. */
  readonly tasks: readonly Forecast[];
  /** Of one validator in one run. */
  readonly validators: readonly Forecast[];
}

/** @returns one forecast for each model of the samples */
export const forecastByModel = (samples: readonly Sample[]): readonly Forecast[] =>
  [...Map.groupBy(samples, ({ model }) => model)].map(([model, own]) => ({
    model,
    count: own.length,
    microDollars: rangeOf(own.map(({ microDollars }) => microDollars)),
    milliseconds: rangeOf(own.map(({ milliseconds }) => milliseconds)),
  }));

/** @param figures at least one */
function rangeOf(figures: readonly number[]): Range {
  const spread = spreadOf(figures);
  const [only = 0] = figures;
  return spread === null
    ? { low: only, median: only, high: only }
    : { low: spread.lower, median: spread.median, high: spread.upper };
}

/**
 * The median cost of several tasks or validators.
 *
 * @param models one for each of them
 * @returns micro-dollars; null where a model has no forecast
 */
export function costOf(models: readonly string[], forecasts: readonly Forecast[]): number | null {
  let sum = 0;
  for (const model of models) {
    const found = forecasts.find((one) => one.model === model);
    if (found === undefined) return null;
    sum += found.microDollars.median;
  }
  return sum;
}

/** @returns `12 earlier tasks: about $0.24 ($0.10 to $0.40) and 5 min (3 min to 9 min) each` */
export function formatForecast({ count, microDollars, milliseconds }: Forecast): string {
  const cost = formatRange(microDollars, roughDollars);
  const time = formatRange(milliseconds, roughTime);
  return `${counted(count, "earlier task")}: about ${cost} and ${time}${count === 1 ? "" : " each"}`;
}

function formatRange({ low, median, high }: Range, format: (figure: number) => string): string {
  const range = format(low) === format(high) ? "" : ` (${format(low)} to ${format(high)})`;
  return `${format(median)}${range}`;
}

/** @returns `$0.40`, to the cent; what costs anything costs a cent */
export const roughDollars = (microDollars: number): string =>
  `$${(Math.max(microDollars, microDollars > 0 ? 10_000 : 0) / 1e6).toFixed(2)}`;

/** @returns `40 s`, `9 min`, `2 h 10 min` */
export function roughTime(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < 55) return `${Math.max(5, Math.ceil(seconds / 5) * 5)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const tens = Math.round(minutes / 10) * 10;
  return tens % 60 === 0 ? `${tens / 60} h` : `${Math.floor(tens / 60)} h ${tens % 60} min`;
}

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
