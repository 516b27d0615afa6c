import type { RunView } from "#shared/contract/views/run.ts";
import {
  basisWords,
  errorWords,
  leftWords,
  noForecastWords,
  spreadWords,
} from "#shared/domain/forecast/forecast-words.ts";
import { Tooltip } from "../../kit/tooltip.tsx";
import { usePartOfHost } from "../../state/host-store.ts";

interface ForecastWords {
  readonly short: string;
  readonly text: string;
}

/** What the run will still take, and after it how far that was from what came. Null while nothing is known. */
function forecastOf({ forecast, endedAt, isWatch }: RunView): ForecastWords | null {
  if (isWatch || !forecast || forecast.earlierRuns === null) return null;
  const { left, unknown, error } = forecast;
  if (endedAt !== null) return error && { short: errorShort(error), text: errorWords(error) };
  if (left === null)
    return forecast.earlierRuns === 0
      ? { short: "no forecast yet", text: `${noForecastWords} The next run has this one to go by.` }
      : null;
  const more =
    unknown === 0 ? "" : ` and ${unknown} ${unknown === 1 ? "part" : "parts"} that nothing tells of`;
  return {
    short: leftWords(left),
    text: `${basisWords(left)}; ${spreadWords(left)}${more}. Time at work, without what waits for you.`,
  };
}

/** In the header, where that has room for it; the account of the run says the same in any window. */
export function RunForecast() {
  const words = usePartOfHost(({ run }) => run && forecastOf(run));
  if (!words) return null;
  return (
    <Tooltip text={words.text}>
      <span
        className="hidden shrink-0 text-sm whitespace-nowrap text-muted tabular-nums min-[1280px]:inline"
        data-forecast
      >
        {words.short}
      </span>
    </Tooltip>
  );
}

/** All of it in words. */
export function ForecastLine({ run }: { readonly run: RunView }) {
  const words = forecastOf(run);
  if (!words) return null;
  return (
    <p className="text-sm text-muted first-letter:uppercase">
      <span className="text-text">{words.short}.</span> {words.text}
    </p>
  );
}

const errorShort = ({ microDollars }: { readonly microDollars: number | null }): string =>
  microDollars === null
    ? "no forecast of its cost"
    : `${Math.abs(Math.round(100 * microDollars))} % ${microDollars >= 0 ? "more" : "less"} than forecast`;
