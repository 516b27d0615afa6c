/** Whether runs that had something went otherwise than runs that did not. */
import { type Shift, type Spread, shiftOf, spreadOf } from "./rank-shift.ts";

/** What of runs is held against each other. Dollars are micro-dollars, time is milliseconds. */
export const comparedFigures = [
  "microDollars",
  "ms",
  "iterations",
  "conflicts",
  "failedChecks",
  "score",
] as const;
export type ComparedFigure = (typeof comparedFigures)[number];

/** What one run came to; null: nobody counted it. */
export type RunFigures = Readonly<Record<ComparedFigure, number | null>>;

/** What the runs show about one figure. `too-few`: with so few of them nothing can be said. */
export type ComparisonOutcome = "better" | "worse" | "no-difference" | "too-few";

export interface FigureComparison {
  readonly figure: ComparedFigure;
  /** Null: no run on this side has the figure. */
  readonly with: Spread | null;
  readonly without: Spread | null;
  /** How far the runs with it lie above the others; null where they are too few. */
  readonly shift: Shift | null;
  readonly outcome: ComparisonOutcome;
}

/** Of all figures together: in at most so many of a hundred cases chance alone may be taken for a difference. */
const doubtOfAll = 0.05;

/** Only of the score more is better. */
export const isMoreBetter = (figure: ComparedFigure): boolean => figure === "score";

/**
 * Each figure of the runs that had something beside that of the runs that did not.
 *
 * @returns one row for each figure, in the order of `comparedFigures`. A difference is told only where the interval of
 *   its shift leaves out zero; the doubt is shared out among the figures, since six looks find more by chance than one.
 */
export const compareRuns = (
  having: readonly RunFigures[],
  others: readonly RunFigures[],
): readonly FigureComparison[] =>
  comparedFigures.map((figure) => {
    const counted = (runs: readonly RunFigures[]): readonly number[] =>
      runs.flatMap((run) => run[figure] ?? []);
    const [first, second] = [counted(having), counted(others)];
    const shift = shiftOf(first, second, doubtOfAll / comparedFigures.length);
    return {
      figure,
      with: spreadOf(first),
      without: spreadOf(second),
      shift,
      outcome: outcomeOf(figure, shift),
    };
  });

function outcomeOf(figure: ComparedFigure, shift: Shift | null): ComparisonOutcome {
  if (shift === null) return "too-few";
  if (shift.low <= 0 && shift.high >= 0) return "no-difference";
  return shift.low > 0 === isMoreBetter(figure) ? "better" : "worse";
}

const words: Readonly<Record<ComparedFigure, string>> = {
  microDollars: "cost",
  ms: "time",
  iterations: "iterations",
  conflicts: "conflicts",
  failedChecks: "failed checks",
  score: "score",
};

/** A figure by its word for people. */
export const figureWord = (figure: ComparedFigure): string => words[figure];

const listed = (figures: readonly FigureComparison[]): string =>
  figures.map(({ figure }) => figureWord(figure)).join(", ");

/** What a comparison comes to, in one sentence. */
export function comparisonSummary(figures: readonly FigureComparison[]): string {
  const of = (outcome: ComparisonOutcome) => figures.filter((one) => one.outcome === outcome);
  const [better, worse] = [of("better"), of("worse")];
  if (better.length === 0 && worse.length === 0)
    return of("too-few").length === figures.length
      ? "There are too few runs to say whether it helps."
      : "No difference that these runs can show.";
  const parts = [
    ...(better.length > 0 ? [`better: ${listed(better)}`] : []),
    ...(worse.length > 0 ? [`worse: ${listed(worse)}`] : []),
  ];
  return `With it ${parts.join("; ")}. These runs had other goals as well, so it need not be the reason.`;
}
