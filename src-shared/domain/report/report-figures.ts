/** What a report over many runs of one repository says. Plain JSON. */

/** What the rows of a report are of. */
export const reportKeys = ["run", "model", "phase", "pattern", "agent"] as const;
export type ReportKey = (typeof reportKeys)[number];

export interface ReportFigures {
  /** Runs that have a part in it. */
  readonly runs: number;
  readonly complete: number;
  readonly microDollars: number;
  readonly tokens: number;
  /** Work time of all workers together, without waiting for the user. */
  readonly milliseconds: number;
  readonly toolCalls: number;
  readonly failedCalls: number;
  readonly iterations: number;
  readonly conflicts: number;
  readonly questions: number;
  /** Iterations of discarded work: abandoned, reassigned, or an attempt that was not chosen. */
  readonly discardedIterations: number;
  /** Rounds after a failed validation. 0 where the rows are of single workers. */
  readonly repairRounds: number;
  /** Tasks that were sent back by a review, restarted, or reassigned. */
  readonly reworkedTasks: number;
  /** Runs of the project's checks, and what they took. */
  readonly fastChecks: number;
  readonly fastCheckMilliseconds: number;
  readonly slowChecks: number;
  readonly slowCheckMilliseconds: number;
  /** Mean over the runs that have a score; null where none has. */
  readonly score: number | null;
}

export interface ReportRow extends ReportFigures {
  /** Unique in the report: the run's id, the model, `phase 1`, the pattern's name, `<run>/<agent>`. */
  readonly key: string;
  /** Its name for the user: the goal of a run, the title of an agent's task; else the key. */
  readonly title: string;
  /** ms since 1970, when the run of the row began; null for rows of many runs. */
  readonly startedAt: number | null;
}

/** Figures over many runs. */
export interface Report {
  readonly by: ReportKey;
  /** Of runs, the newest first; of all others, the dearest first. */
  readonly rows: readonly ReportRow[];
  /** Over the runs themselves: a run with two patterns is counted once here and in two rows. */
  readonly total: ReportFigures;
  /** ms since 1970, when the oldest and the newest of them began; null without any. */
  readonly from: number | null;
  readonly to: number | null;
  /** Runs of this repository beyond the number that was asked for. */
  readonly leftOut: number;
}
