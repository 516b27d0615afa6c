import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import type { PatternComparison } from "#shared/contract/views/comparison.ts";
import { compareRuns, comparisonSummary, type RunFigures } from "#shared/domain/comparison/compare-runs.ts";
import { ComparedRuns } from "./pattern-comparison.tsx";

const run = (microDollars: number): RunFigures => ({
  microDollars,
  ms: 60_000,
  iterations: 3,
  conflicts: 0,
  failedChecks: null,
  score: 0.9,
});
const comparisonOf = (having: readonly number[], others: readonly number[]): PatternComparison => {
  const figures = compareRuns(having.map(run), others.map(run));
  return {
    pattern: "decomposition/types-first",
    runs: { with: having.length, without: others.length },
    complete: { with: having.length, without: 0 },
    figures,
    summary: comparisonSummary(figures),
  };
};
const shown = (comparison: PatternComparison): string =>
  renderToStaticMarkup(<ComparedRuns comparison={comparison} />);
const outcomeIn = (html: string, figure: string): string | undefined =>
  new RegExp(`data-compared="${figure}" data-outcome="([a-z-]+)"`, "u").exec(html)?.[1];

it("shows each figure with its spread, and which of them these runs can tell apart", () => {
  const cheap = [1, 2, 3, 4, 5, 6, 7, 8].map((dollars) => dollars * 1_000_000);
  const html = shown(
    comparisonOf(
      cheap,
      cheap.map((micro) => micro + 100_000_000),
    ),
  );
  expect(outcomeIn(html, "microDollars")).toBe("better");
  expect(outcomeIn(html, "ms")).toBe("no-difference");
  expect(outcomeIn(html, "failedChecks")).toBe("too-few");
  expect(html).toContain("$4.50");
  expect(html).toContain("$2.75 to $6.25");
  expect(html).toContain("it need not be the reason");
});

it("says so where nothing can be said, and draws nothing then", () => {
  const html = shown(comparisonOf([1_000_000], []));
  expect(html).toContain("There are too few runs to say whether it helps.");
  expect(html).toContain(
    "1 run, 1 of them to the goal, with it; no run of the same kind of work without it.",
  );
  expect(html).not.toContain("<table");
});
