/** `hox patterns compare`: whether it helps, as far as the recorded runs can say. */
import type { PatternComparison } from "#shared/contract/views/comparison.ts";
import { type ComparedFigure, figureWord } from "#shared/domain/comparison/compare-runs.ts";
import type { Spread } from "#shared/domain/comparison/rank-shift.ts";
import { counted } from "#shared/domain/text/counted.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { type CommonOptions, type ExitCode, exitCode } from "./command-line.ts";
import { dollarText, secondsText, tableLines } from "./metrics-table.ts";
import { print, printJson } from "./output.ts";
import { patternNamed } from "./patterns.ts";
import { withRunClient } from "./run-client.ts";

export const comparePattern = (id: string, options: CommonOptions): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    const pattern = await patternNamed(client, id);
    const comparison = await client.execute("pattern.compare", { id: pattern.id });
    if (options.json) printJson({ kind: "comparison", ...comparison });
    else for (const line of comparisonLines(comparison)) print(line);
    return exitCode.done;
  });

const words = {
  better: "better",
  worse: "worse",
  "no-difference": "no difference",
  "too-few": "too few runs",
};

export function comparisonLines(comparison: PatternComparison): readonly string[] {
  const { pattern, runs, complete, figures, summary } = comparison;
  return [
    `${shownName(pattern)}: ${counted(runs.with, "run")} with it, ${complete.with} complete; ${runs.without} of the same kind of work without it, ${complete.without} complete`,
    ...tableLines(
      ["figure", "with it", "without it", "shift", "so"],
      figures.map(({ figure, with: having, without, shift, outcome }) => [
        figureWord(figure),
        spreadText(figure, having),
        spreadText(figure, without),
        shift === null
          ? "–"
          : `${signed(figure, shift.median)} (${signed(figure, shift.low)} to ${signed(figure, shift.high)})`,
        words[outcome],
      ]),
      1,
    ),
    "The median, and between what the middle half of the runs lies.",
    summary,
  ];
}

const spreadText = (figure: ComparedFigure, spread: Spread | null): string =>
  spread === null
    ? "–"
    : `${valueText(figure, spread.median)} (${valueText(figure, spread.low)} to ${valueText(figure, spread.high)})`;

const signed = (figure: ComparedFigure, value: number): string =>
  `${value < 0 ? "−" : "+"}${valueText(figure, Math.abs(value))}`;

function valueText(figure: ComparedFigure, value: number): string {
  if (figure === "microDollars") return dollarText(value);
  if (figure === "ms") return secondsText(value);
  return figure === "score" ? value.toFixed(2) : String(Math.round(value * 10) / 10);
}
