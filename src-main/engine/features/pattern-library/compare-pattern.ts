/** Whether a pattern helps, as far as the recorded runs can say. */
import type { PatternComparison } from "#shared/contract/views/comparison.ts";
import { compareRuns, comparisonSummary, type RunFigures } from "#shared/domain/comparison/compare-runs.ts";
import { contextOf } from "#shared/domain/patterns/pattern-context.ts";
import { relevanceOf } from "#shared/domain/patterns/pattern-relevance.ts";
import type { ReportedRun } from "#shared/domain/report/report.ts";
import type { Journal } from "../../../journal/journal.ts";
import { finishedRuns } from "../../run/recorded-runs.ts";
import { reportedRun } from "../../run/reported-runs.ts";
import { type KnownPattern, patternIn } from "./views.ts";

/**
 * Runs that a person stopped say nothing of it. Rehearsals are left out where there is a run that was none, as in reports:
 * their model's words are scripted.
 */
export function comparePattern(journal: Journal, known: KnownPattern): PatternComparison {
  const rows = new Map(journal.runs().map((row) => [row.id, row]));
  const isRehearsal = (id: string): boolean => rows.get(id)?.input.rehearsal != null;
  const finished = finishedRuns(journal).filter(({ outcome }) => outcome !== "stopped");
  const real = finished.filter(({ run }) => !isRehearsal(run));
  const told = new Set(
    journal
      .patternUses()
      .get(known.id)
      ?.map(({ run }) => run),
  );
  const pattern = patternIn(known);
  const sides = { with: [] as Compared[], without: [] as Compared[] };
  for (const { run, goal, files, outcome, figures } of real.length > 0 ? real : finished) {
    const row = rows.get(run);
    // Beside runs of other work it would be compared with that work.
    if (!row || (!told.has(run) && !(pattern && relevanceOf(pattern, contextOf(goal, files)).isRelevant)))
      continue;
    sides[told.has(run) ? "with" : "without"].push({
      isComplete: outcome === "complete",
      figures: figuresOf(reportedRun(journal, row), figures.failed_checks),
    });
  }
  const figures = compareRuns(
    sides.with.map((one) => one.figures),
    sides.without.map((one) => one.figures),
  );
  const completeIn = (runs: readonly Compared[]): number =>
    runs.filter(({ isComplete }) => isComplete).length;
  return {
    pattern: known.id,
    runs: { with: sides.with.length, without: sides.without.length },
    complete: { with: completeIn(sides.with), without: completeIn(sides.without) },
    figures,
    summary: comparisonSummary(figures),
  };
}

interface Compared {
  readonly isComplete: boolean;
  readonly figures: RunFigures;
}

function figuresOf({ workers, score }: ReportedRun, failedChecks: number): RunFigures {
  const sum = (figure: (worker: ReportedRun["workers"][number]) => number): number =>
    workers.reduce((total, worker) => total + figure(worker), 0);
  return {
    microDollars: sum(({ spent }) =>
      [...spent.values()].reduce((all, { microDollars }) => all + microDollars, 0),
    ),
    ms: sum(({ milliseconds }) => milliseconds),
    iterations: sum(({ iterations }) => iterations),
    conflicts: sum(({ conflicts }) => conflicts),
    failedChecks,
    score,
  };
}
