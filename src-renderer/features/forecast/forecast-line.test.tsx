import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { forecastByModel, type RunForecasts } from "#shared/domain/forecast/forecast.ts";
import { aPlan, aTask } from "#shared/testing/kit.ts";
import type { Loaded } from "../../state/use-loaded.ts";
import { ForecastLine } from "./forecast-line.tsx";

const loaded: Loaded<RunForecasts> = {
  kind: "loaded",
  value: {
    tasks: forecastByModel(
      [1, 2, 3].map((nth) => ({ model: "sonnet", microDollars: nth * 100_000, milliseconds: nth * 120_000 })),
    ),
    validators: [],
  },
};
const plan = aPlan({ tasks: [aTask("one"), aTask("two", { attempts: 2 })] });
const textOf = (line: React.ReactNode): string => renderToStaticMarkup(line).replace(/<[^>]*>/gu, "");
const perTask = "3 earlier tasks: about $0.20 ($0.15 to $0.25) and 4 min (3 min to 5 min) each.";

it("ForecastLine shows what a task costs with the model", () => {
  expect(textOf(<ForecastLine forecast={loaded} model="sonnet" />)).toBe(perTask);
});

it("ForecastLine adds the total of a plan, every attempt counted", () => {
  expect(textOf(<ForecastLine forecast={loaded} model="sonnet" plan={plan} />)).toBe(
    `About $0.60 for all tasks. ${perTask}`,
  );
});

it("ForecastLine is empty while earlier runs are read and where none used the model", () => {
  expect(textOf(<ForecastLine forecast={{ kind: "loading", last: null }} model="sonnet" />)).toBe("");
  expect(textOf(<ForecastLine forecast={loaded} model="opus" />)).toBe("");
});

it("ForecastLine says why there is no forecast when earlier runs cannot be read", () => {
  const failure = { code: "X", text: "Disk failure.", remedy: null, start: null, end: null };
  const failed: Loaded<RunForecasts> = { kind: "failed", failure, again: () => undefined };
  expect(textOf(<ForecastLine forecast={failed} model="sonnet" />)).toContain("Disk failure.");
});
