import type { RunForecastView } from "#shared/contract/views/forecast.ts";
import {
  basisWords,
  estimateWords,
  noForecastWords,
  spreadWords,
} from "#shared/domain/forecast/forecast-words.ts";

interface ForecastLineProps {
  readonly forecast: RunForecastView | null;
  /** What the run may cost at most. */
  readonly limit: number | null;
}

/** What the run will take, beside what it may; two lines, also before it is known. */
export function ForecastLine({ forecast, limit }: ForecastLineProps) {
  const estimate = forecast?.estimate ?? null;
  const error = forecast?.typicalError ?? null;
  const isShort = estimate !== null && limit !== null && estimate.microDollars.high > limit;
  return (
    <div aria-label="Forecast" role="note" className="min-h-9 text-sm text-muted" data-start-forecast>
      {forecast === null ? (
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
