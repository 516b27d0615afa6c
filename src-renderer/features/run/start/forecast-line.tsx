import {
  basisWords,
  estimateWords,
  noForecastWords,
  spreadWords,
} from "#shared/domain/forecast/forecast-words.ts";
import type { SoughtForecast } from "./use-start-choices.ts";

interface ForecastLineProps {
  readonly forecast: SoughtForecast;
  /** What the run may cost at most. */
  readonly limit: number | null;
}

/** What the run will take, beside what it may; two lines, also before it is known. */
export function ForecastLine({ forecast: sought, limit }: ForecastLineProps) {
  const forecast = sought === "failed" ? null : sought;
  const estimate = forecast?.estimate ?? null;
  const error = forecast?.typicalError ?? null;
  const isShort = estimate !== null && limit !== null && estimate.microDollars.high > limit;
  return (
    <div aria-label="Forecast" role="note" className="min-h-9 text-sm text-muted" data-start-forecast>
      {sought === "failed" ? (
        <p>Earlier runs could not be read. The run starts without a forecast.</p>
      ) : forecast === null ? (
        <p className="text-faint">Looking at earlier runs…</p>
      ) : estimate === null ? (
        <p>{noForecastWords} This one will be the first.</p>
      ) : (
        <>
          <p>
            <span className="font-medium text-text">Will take {estimateWords(estimate)} of work</span>;{" "}
            {spreadWords(estimate)}.
          </p>
          <p>
            {basisWords(estimate)}.
            {error !== null &&
              ` Tried on ${error.runs} of them it was off by ${percent(error.microDollars)} in money and ${percent(error.milliseconds)} in time.`}
            {isShort && <span className="text-warning"> It may meet your limit.</span>}
          </p>
        </>
      )}
    </div>
  );
}

const percent = (share: number): string => `${Math.round(100 * share)} %`;
