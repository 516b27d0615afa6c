/** How far forecasts were from what came, of one run and tried on those that are over. */
import {
  type Estimate,
  forecastRun,
  isTask,
  type PastPart,
  type PastRun,
  type Range,
  rangeOf,
  timeAtWork,
} from "./forecast.ts";

/** What a run came to, measured as its forecast was. */
export const cameTo = (
  parts: readonly PastPart[],
  atOnce: number,
): { readonly microDollars: number; readonly milliseconds: number } => ({
  microDollars: parts.reduce((sum, { microDollars }) => sum + microDollars, 0),
  milliseconds: timeAtWork(parts, atOnce),
});

/** How far a forecast was from what a run came to. */
export interface ForecastError {
  /** Share by which it came to more (above 0) or less (below 0) than forecast; null where nothing was forecast. */
  readonly microDollars: number | null;
  readonly milliseconds: number | null;
  /** Whether both lay in the range. */
  readonly isWithin: boolean;
}

/** Holds a forecast against what the run came to. */
export function forecastError(
  { microDollars, milliseconds }: Pick<Estimate, "microDollars" | "milliseconds">,
  actual: { readonly microDollars: number; readonly milliseconds: number },
): ForecastError {
  const share = (forecast: number, came: number): number | null =>
    forecast === 0 ? null : (came - forecast) / forecast;
  const isIn = ({ low, high }: Range, came: number): boolean => low <= came && came <= high;
  return {
    microDollars: share(microDollars.middle, actual.microDollars),
    milliseconds: share(milliseconds.middle, actual.milliseconds),
    isWithin: isIn(microDollars, actual.microDollars) && isIn(milliseconds, actual.milliseconds),
  };
}

/** One run forecast from those before it. */
export interface BacktestRow extends ForecastError {
  readonly run: string;
  /** Earlier runs that it was forecast from. */
  readonly from: number;
}

/**
 * Forecasts each run from those before it alone, as it would have been at its start, and holds that against what it came to.
 *
 * @param past oldest first
 */
export const backtest = (past: readonly PastRun[], atOnce: number): readonly BacktestRow[] =>
  past.flatMap((run, index) => {
    const model = run.parts.find(({ kind }) => isTask(kind))?.model ?? "";
    const forecast = forecastRun({ isQuick: run.isQuick, model, attempts: 1, atOnce }, past.slice(0, index));
    return forecast === null
      ? []
      : [{ run: run.run, from: forecast.runs, ...forecastError(forecast, cameTo(run.parts, atOnce)) }];
  });

/** The middle of all errors, whatever their sign; null without any. */
export function typicalError(
  rows: readonly BacktestRow[],
): { readonly microDollars: number; readonly milliseconds: number; readonly within: number } | null {
  if (rows.length === 0) return null;
  const middle = (figures: readonly (number | null)[]): number => {
    const known = figures.flatMap((figure) => (figure === null ? [] : [Math.abs(figure)]));
    return known.length === 0 ? 0 : rangeOf(known).middle;
  };
  return {
    microDollars: middle(rows.map(({ microDollars }) => microDollars)),
    milliseconds: middle(rows.map(({ milliseconds }) => milliseconds)),
    within: rows.filter(({ isWithin }) => isWithin).length / rows.length,
  };
}
