import type { RunView } from "#shared/contract/views/run.ts";
import {
  basisWords,
  errorWords,
  leftWords,
  noForecastWords,
  spreadWords,
} from "#shared/domain/forecast/forecast-words.ts";
import { Tooltip } from "../../kit/tooltip.tsx";

/** What the run will still take, and after it how far that was from what came. Nothing while nothing is known. */
export function RunForecast({ run }: { readonly run: RunView }) {
  const { forecast } = run;
  if (!forecast || forecast.earlierRuns === null) return null;
  const { left, unknown, error } = forecast;
  if (run.endedAt !== null)
    return error === null ? null : <Words text={errorWords(error)} short={errorShort(error)} />;
  if (left === null)
    return forecast.earlierRuns === 0 ? (
      <Words text={`${noForecastWords} The next run has this one to go by.`} short="no forecast yet" />
    ) : null;
  const more =
    unknown === 0 ? "" : ` and ${unknown} ${unknown === 1 ? "part" : "parts"} that nothing tells of`;
  return (
    <Words
      text={`${basisWords(left)}; ${spreadWords(left)}${more}. Time at work, without what waits for you.`}
      short={leftWords(left)}
    />
  );
}

const errorShort = ({ microDollars }: { readonly microDollars: number | null }): string =>
  microDollars === null
    ? "no forecast of its cost"
    : `${Math.abs(Math.round(100 * microDollars))} % ${microDollars >= 0 ? "more" : "less"} than forecast`;

const Words = ({ text, short }: { readonly text: string; readonly short: string }) => (
  <Tooltip text={text}>
    <span
      className="hidden shrink-0 text-sm whitespace-nowrap text-muted tabular-nums min-[1024px]:inline"
      data-forecast
    >
      {short}
    </span>
  </Tooltip>
);
