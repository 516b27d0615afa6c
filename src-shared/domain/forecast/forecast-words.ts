/** A forecast in words, the same in the window and in a terminal. */
import type { Estimate, Range } from "./forecast.ts";
import type { ForecastError } from "./forecast-error.ts";

/** `40 s`, `9 min`, `2 h 10 min`: as exact as a forecast is. */
export function roughTime(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < 55) return `${Math.max(5, Math.ceil(seconds / 5) * 5)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const rest = Math.round((minutes % 60) / 10) * 10;
  const hours = Math.floor(minutes / 60) + (rest === 60 ? 1 : 0);
  return rest === 0 || rest === 60 ? `${hours} h` : `${hours} h ${rest} min`;
}

/** `$0.40`; to the cent. */
export const roughDollars = (microDollars: number): string =>
  microDollars > 0 && microDollars < 10_000 ? "less than $0.01" : `$${(microDollars / 1e6).toFixed(2)}`;

const between = ({ low, high }: Range, words: (figure: number) => string): string =>
  words(low) === words(high) ? words(high) : `${words(low)} to ${words(high)}`;

/** `about $0.40 and 9 min`. */
export const estimateWords = ({
  microDollars,
  milliseconds,
}: Pick<Estimate, "microDollars" | "milliseconds">): string =>
  `about ${roughDollars(microDollars.middle)} and ${roughTime(milliseconds.middle)}`;

/** `about 9 min left, about $0.40`. */
export const leftWords = ({
  microDollars,
  milliseconds,
}: Pick<Estimate, "microDollars" | "milliseconds">): string =>
  `about ${roughTime(milliseconds.middle)} left, about ${roughDollars(microDollars.middle)}`;

/** `half of such runs: $0.31 to $0.62, 6 min to 12 min`; a single run has no spread. */
export const spreadWords = ({ microDollars, milliseconds, runs }: Estimate): string =>
  runs < 2
    ? "only one run so far"
    : `half of them: ${between(microDollars, roughDollars)}, ${between(milliseconds, roughTime)}`;

/** Where it comes from, and how far it can be trusted. */
export function basisWords({ runs, basis }: Pick<Estimate, "runs" | "basis">): string {
  const count = `${runs} earlier ${runs === 1 ? "run" : "runs"} of this repository`;
  const words =
    basis === "same"
      ? `From ${count}`
      : basis === "other-model"
        ? `From ${count} with another model`
        : `From other work in ${count}`;
  return runs < 3 ? `${words}: too few to rely on` : words;
}

/** Said where nothing was measured yet. */
export const noForecastWords = "No earlier run of this repository to forecast from.";

const share = (error: number): string =>
  error === 0 ? "as forecast" : `${Math.abs(Math.round(100 * error))} % ${error > 0 ? "more" : "less"}`;

/** `Money: 12 % more than forecast, time: 30 % less.` */
export function errorWords({ microDollars, milliseconds, isWithin }: ForecastError): string {
  const money = microDollars === null ? "no forecast" : share(microDollars);
  const time = milliseconds === null ? "no forecast" : share(milliseconds);
  return `Against the forecast: money ${money}, time ${time}${isWithin ? ", both within its range" : ""}.`;
}
