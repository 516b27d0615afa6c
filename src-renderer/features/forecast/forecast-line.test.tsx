import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { forecastByModel, type RunForecasts } from "#shared/domain/forecast/forecast.ts";
import type { Plan, PlannedTask } from "#shared/domain/plan/plan.ts";
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
const task = (id: string, more: Partial<PlannedTask> = {}): PlannedTask => ({
  id,
  title: id,
  description: "",
  phase: 1,
  priority: "medium",
  files: [],
  after: [],
  ...more,
});
const plan: Plan = {
  goal: "",
  summary: "",
  orchestrators: { count: 1, reason: "" },
  contracts: { title: "", description: "", files: [] },
  phases: [{ number: 1, title: "" }],
  tasks: [task("one"), task("two", { attempts: 2 })],
  integration: { title: "", description: "" },
  budget: { tokens: null, microDollars: null },
};
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
