import type { Estimate } from "../../domain/forecast/forecast.ts";
import type { ForecastError } from "../../domain/forecast/forecast-error.ts";
import type { Forecasts } from "../../domain/forecast/forecast-events.ts";
import type { ValidatorChoice } from "../../domain/validation/panel-choice.ts";

/** What a run will still take, and how far it was from what was forecast. */
export interface ForecastView extends Pick<Forecasts, "start" | "plan"> {
  /** What is left; null where no earlier run tells, and for a run that is over. */
  readonly left: Estimate | null;
  /** Parts of it that no earlier run did anything like: what they take comes on top. */
  readonly unknown: number;
  /** What is left of each task of the root's plan, by its id in the plan; those that nothing tells of are left out. */
  readonly tasks: Readonly<Record<string, { readonly microDollars: number; readonly milliseconds: number }>>;
  /** Earlier runs of this repository that are looked at; null while they are being read. */
  readonly earlierRuns: number | null;
  /** Of a run that is over, against the first forecast of it; null where there was none. */
  readonly error: ForecastError | null;
}

/** What a run will take that is about to be started. */
export interface RunForecastView {
  /** Null where no earlier run tells. */
  readonly estimate: Estimate | null;
  /** What the votes on the result will take for each choice; null where no vote was measured yet. */
  readonly votes: Readonly<Record<ValidatorChoice, Estimate>> | null;
  /** How far such forecasts were from what came, tried on the earlier runs themselves; null with fewer than two. */
  readonly typicalError: {
    readonly microDollars: number;
    readonly milliseconds: number;
    /** Share of them that came within their range. */
    readonly within: number;
    readonly runs: number;
  } | null;
}
