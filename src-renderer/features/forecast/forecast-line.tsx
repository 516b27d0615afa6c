import { costOf, formatForecast, type RunForecasts, roughDollars } from "#shared/domain/forecast/forecast.ts";
import { attemptsAt, type Plan } from "#shared/domain/plan/plan.ts";
import { client } from "../../client.ts";
import { type Loaded, shownValue, useLoaded } from "../../state/use-loaded.ts";

/** What tasks and validators of this repository's earlier runs cost. */
export const useForecast = (): Loaded<RunForecasts> => useLoaded("forecast", () => client.run.forecast());

interface ForecastLineProps {
  readonly forecast: Loaded<RunForecasts>;
  /** Of the agents. */
  readonly model: string;
  /** Its total is shown as well. */
  readonly plan?: Plan;
}

/** What a task usually costs and takes with this model; nothing where no earlier run used it. */
export function ForecastLine({ forecast, model, plan }: ForecastLineProps) {
  if (forecast.kind === "failed")
    return (
      <ForecastNote>
        No forecast, because earlier runs could not be read: {forecast.failure.text}
      </ForecastNote>
    );
  const tasks = shownValue(forecast)?.tasks ?? [];
  const found = tasks.find((one) => one.model === model);
  if (found === undefined) return null;
  const models = plan?.tasks.flatMap((task) => Array<string>(attemptsAt(task)).fill(model)) ?? [];
  const total = costOf(models, tasks);
  return (
    <ForecastNote>
      {models.length > 1 && total !== null && `About ${roughDollars(total)} for all tasks. `}
      {formatForecast(found)}.
    </ForecastNote>
  );
}

const ForecastNote = ({ children }: { readonly children: React.ReactNode }) => (
  <p role="note" aria-label="Forecast" className="text-sm text-pretty text-muted">
    {children}
  </p>
);
