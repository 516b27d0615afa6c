/** Earlier results of the repository, for judges who are to say whether this one falls behind them. */
import { byLikeness } from "#shared/domain/validation/like-goals.ts";
import type { RunFigure } from "../../../../patterns/patterns-interface.ts";
import type { ComparedRun, Comparison } from "../../../../validation/validation-interface.ts";
import type { RunJournal, RunReader } from "../../../ports.ts";
import { recordedState } from "../../../recorded-state.ts";
import { recordedRunOf } from "../../../run/recorded-runs.ts";

/** More of them would drown the result itself. */
const maxCompared = 5;
/** So far back is looked. */
const maxCandidates = 50;

/** What says how a run went; what its panel and its score came to is not known of one that is being judged. */
const compared: readonly RunFigure[] = [
  ...(["agents", "phases", "iterations", "align_requests", "mutations", "mutation_conflicts"] as const),
  ...(["merge_conflicts", "attempts", "failed_checks"] as const),
];

/** A rehearsal is compared with rehearsals, and work with work. */
export function comparisonOf(run: RunReader & RunJournal): Comparison {
  const rows = run.journal
    .runs()
    .filter(
      ({ id, endedAt, stage, input }) =>
        id !== run.id &&
        endedAt !== null &&
        (stage === "complete" || stage === "failed") &&
        (input.rehearsal === null) === (run.row.input.rehearsal === null),
    )
    .slice(0, maxCandidates)
    .map((row) => ({ row, goal: row.input.goal }));
  const earlier: ComparedRun[] = [];
  for (const { row } of byLikeness(run.row.input.goal, rows)) {
    if (earlier.length === maxCompared) break;
    const { validation } = recordedState(run.journal, row.id);
    // Nobody judged it: it says nothing about what is good enough here.
    if (validation === null) continue;
    const outcome = row.stage === "complete" ? "complete" : "failed";
    const approvals = validation.seats.filter(({ vote }) => vote === "approve").length;
    earlier.push({
      run: row.id,
      goal: row.input.goal,
      outcome,
      verdict: `${validation.verdict} by ${approvals} of ${validation.seats.length}`,
      figures: picked(recordedRunOf(run.journal, row, outcome).figures),
      failed: failuresOf(run, row.id),
    });
  }
  return {
    current: picked(recordedRunOf(run.journal, run.row, "complete").figures),
    earlier,
  };
}

const picked = (figures: Readonly<Record<RunFigure, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(compared.map((name) => [name, figures[name]]));

/** Why it was rejected on the way, in a line each. */
const failuresOf = ({ journal }: RunJournal, id: string): readonly string[] =>
  journal
    .events(id)
    .flatMap(({ event }) =>
      event.kind === "StageMoved" && event.event.kind === "ValidationFailed" ? event.event.reasons : [],
    )
    .slice(0, 3)
    .map((reason) => reason.replace(/\s+/gu, " ").slice(0, 300));
