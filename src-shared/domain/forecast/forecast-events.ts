/** What was forecast of a run, kept with it so that its error can be shown afterwards. */
import type { Estimate } from "./forecast.ts";

export interface Forecasts {
  /** Before anything was planned. */
  readonly start: Estimate | null;
  /** Of all that was left when its plan was approved. */
  readonly plan: Estimate | null;
  /** What had been spent by then, which stands beside it. */
  readonly spentAtPlan: { readonly microDollars: number; readonly milliseconds: number } | null;
}

export const noForecasts: Forecasts = { start: null, plan: null, spentAtPlan: null };

export type ForecastEvent =
  | { readonly kind: "RunForecast"; readonly estimate: Estimate }
  | {
      readonly kind: "PlanForecast";
      readonly estimate: Estimate;
      readonly spent: { readonly microDollars: number; readonly milliseconds: number };
    };

/** Adds an event: the first word counts, as one that is corrected later says nothing about itself. */
export function reduceForecasts(forecasts: Forecasts, event: ForecastEvent): Forecasts {
  switch (event.kind) {
    case "RunForecast":
      return forecasts.start === null ? { ...forecasts, start: event.estimate } : forecasts;
    case "PlanForecast":
      return forecasts.plan === null
        ? { ...forecasts, plan: event.estimate, spentAtPlan: event.spent }
        : forecasts;
  }
}
