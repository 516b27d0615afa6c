/** Statistics over many recorded runs. Pure: the same runs give the same report. */

import { addSpent, nothingSpent, type Spent, totalTokens } from "../spending/usage.ts";
import { shownLine } from "../text/shown-text.ts";

/** What the work of a worker took, and what is added up over workers. Times are ms. */
const summed = [
  "milliseconds",
  "toolCalls",
  "failedCalls",
  "iterations",
  // Runs of the project's checks, and what they took.
  "fastChecks",
  "fastCheckMilliseconds",
  "slowChecks",
  "slowCheckMilliseconds",
  "conflicts",
  "questions",
] as const;
type Summed = Readonly<Record<(typeof summed)[number], number>>;

const summedWith = (amountOf: (name: keyof Summed) => number): Summed =>
  Object.fromEntries(summed.map((name) => [name, amountOf(name)])) as Summed;

/** One worker of a recorded run. `milliseconds`: without waiting for the user. */
export interface ReportedWorker extends Summed {
  readonly worker: string;
  readonly title: string;
  /** `phase 1`, `planning`, `integration`, `validation`… */
  readonly phase: string;
  readonly isAgent: boolean;
  /** By the model that was asked. */
  readonly spent: ReadonlyMap<string, Spent>;
  /** Its work was discarded. */
  readonly isDiscarded: boolean;
  readonly isReworked: boolean;
}

export interface ReportedRun {
  readonly run: string;
  readonly goal: string;
  /** ms since 1970. */
  readonly startedAt: number;
  /** Who started it, where several people share the host; null: the user who runs it. */
  readonly startedBy: string | null;
  readonly isComplete: boolean;
  readonly score: number | null;
  readonly repairRounds: number;
  /** Names of the patterns that its workers received. */
  readonly patterns: readonly string[];
  readonly workers: readonly ReportedWorker[];
}

/** A part of a run that falls into one row. */
interface Part {
  readonly key: string;
  readonly title: string;
  readonly run: ReportedRun;
  readonly workers: readonly ReportedWorker[];
  /** Whether it is the whole run, so that costs without an owner count. */
  readonly isWhole: boolean;
}

/** The row of runs without any pattern, and of workers without model calls. */
const withoutPattern = "no pattern";
const withoutModel = "no model";

/** The row of runs that were started before there were others; no person can be called so. */
const hostOwner = "(owner)";

/** The row of all that is no agent's own. */
const notOfAgents = "not by agents";

/**
 * Figures over many runs. (HOX-6)
 * - by run, by pattern and by person (who started it), everything of a run counts in each of its rows; by pattern a run has one row for
 *   each pattern that it used.
 * - by model, money and tokens are those of its requests. What is not recorded per request (time, calls,
 *   conflicts, rework) counts for the model on which the worker spent most.
 * - by phase, costs without an owner (rounds of repair) are left out; by agent, they and other workers are
 *   one row, so that the rows sum to the total.
 *
 * @param runs newest first
 * @param leftOut number of further runs
 */
export function report(runs: readonly ReportedRun[], by: ReportKey, leftOut = 0): Report {
  const rows = new Map<string, Part[]>();
  for (const run of runs)
    for (const part of partsOf[by](run)) rows.set(part.key, [...(rows.get(part.key) ?? []), part]);
  const made = [...rows].map(
    ([key, parts]): ReportRow => ({
      key,
      title: parts[0]?.title ?? key,
      startedAt:
        (by === "run" || by === "agent") && key !== notOfAgents ? (parts[0]?.run.startedAt ?? null) : null,
      ...figuresOf(parts),
    }),
  );
  const began = runs.map(({ startedAt }) => startedAt);
  return {
    by,
    rows:
      by === "run"
        ? made
        : made.sort(
            (a, b) => b.microDollars - a.microDollars || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0),
          ),
    total: figuresOf(runs.map((run) => whole(run, run.run, run.goal))),
    from: began.length > 0 ? Math.min(...began) : null,
    to: began.length > 0 ? Math.max(...began) : null,
    leftOut,
  };
}

/** What the rows of a report are of. */
export const reportKeys = ["run", "model", "phase", "pattern", "agent", "person"] as const;
export type ReportKey = (typeof reportKeys)[number];

/** What a report over many runs of one repository says. Plain JSON. */
export interface ReportFigures extends Summed {
  /** Runs that have a part in it. */
  readonly runs: number;
  readonly complete: number;
  readonly microDollars: number;
  readonly tokens: number;
  /** Iterations of discarded work: abandoned, reassigned, or an attempt that was not chosen. */
  readonly discardedIterations: number;
  /** Rounds after a failed validation. 0 where the rows are of single workers. */
  readonly repairRounds: number;
  /** Tasks that were sent back by a review, restarted, or reassigned. */
  readonly reworkedTasks: number;
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

const whole = (run: ReportedRun, key: string, title: string): Part => ({
  key,
  title,
  run,
  workers: run.workers,
  isWhole: true,
});

const partsOf: Readonly<Record<ReportKey, (run: ReportedRun) => readonly Part[]>> = {
  run: (run) => [whole(run, run.run, run.goal)],
  pattern: (run) =>
    (run.patterns.length > 0 ? [...new Set(run.patterns)] : [withoutPattern]).map((name) =>
      whole(run, name, name),
    ),
  person: (run) => [whole(run, run.startedBy ?? hostOwner, run.startedBy ?? hostOwner)],
  phase: (run) => grouped(run, ({ phase }) => phase),
  model: (run) => {
    const models = new Set(run.workers.flatMap(({ spent }) => [...spent.keys()]));
    const mainly = grouped(run, mainModel);
    const keys = new Set([...models, ...mainly.map(({ key }) => key)]);
    return [...keys].map((key) => ({
      key,
      title: key,
      run,
      isWhole: false,
      workers: run.workers.flatMap((worker): readonly ReportedWorker[] => {
        const spent = worker.spent.get(key);
        const own: ReportedWorker["spent"] = new Map(spent ? [[key, spent]] : []);
        if (mainModel(worker) === key) return [{ ...worker, spent: own }];
        return spent ? [{ ...idle(worker), spent: own }] : [];
      }),
    }));
  },
  agent: (run) => [
    ...run.workers
      .filter(({ isAgent }) => isAgent)
      .map((worker) => ({
        key: `${run.run}/${worker.worker}`,
        title: worker.title,
        run,
        workers: [worker],
        isWhole: false,
      })),
    {
      key: notOfAgents,
      title: "Planning, merging and validation",
      run,
      workers: run.workers.filter(({ isAgent }) => !isAgent),
      isWhole: true,
    },
  ],
};

function grouped(run: ReportedRun, keyOf: (worker: ReportedWorker) => string): readonly Part[] {
  const keys = [...new Set(run.workers.map(keyOf))];
  return keys.map((key) => ({
    key,
    title: key,
    run,
    workers: run.workers.filter((worker) => keyOf(worker) === key),
    isWhole: false,
  }));
}

/** The model that it spent most on; of equals the first by name. */
const mainModel = ({ spent }: ReportedWorker): string =>
  [...spent].sort(
    ([a, one], [b, other]) =>
      other.microDollars - one.microDollars || other.requests - one.requests || (a < b ? -1 : 1),
  )[0]?.[0] ?? withoutModel;

/** Counted elsewhere but for what it spent. */
const idle = (worker: ReportedWorker): ReportedWorker => ({
  ...worker,
  ...summedWith(() => 0),
  isDiscarded: false,
  isReworked: false,
});

function figuresOf(parts: readonly Part[]): ReportFigures {
  const workers = parts.flatMap((part) => part.workers);
  const add = (of: (worker: ReportedWorker) => number): number =>
    workers.reduce((sum, worker) => sum + of(worker), 0);
  const spent = workers
    .flatMap((worker) => [...worker.spent.values()])
    .reduce((sum, one) => addSpent(sum, one), nothingSpent);
  const scores = parts.flatMap(({ run }) => (run.score === null ? [] : [run.score]));
  return {
    runs: parts.length,
    complete: parts.filter(({ run }) => run.isComplete).length,
    microDollars: spent.microDollars,
    tokens: totalTokens(spent.usage),
    ...summedWith((name) => add((worker) => worker[name])),
    discardedIterations: add(({ isDiscarded, iterations }) => (isDiscarded ? iterations : 0)),
    repairRounds: parts.reduce((sum, { isWhole, run }) => sum + (isWhole ? run.repairRounds : 0), 0),
    reworkedTasks: add(({ isReworked }) => (isReworked ? 1 : 0)),
    score: scores.length > 0 ? scores.reduce((sum, one) => sum + one, 0) / scores.length : null,
  };
}

/** The columns of a report as CSV, in order: stable names, so that a spreadsheet of yesterday fits tomorrow. */
export const reportColumns = [
  "runs",
  "complete",
  "microDollars",
  "tokens",
  "milliseconds",
  "toolCalls",
  "failedCalls",
  "iterations",
  "conflicts",
  "questions",
  "discardedIterations",
  "repairRounds",
  "reworkedTasks",
  "score",
  "fastChecks",
  "fastCheckMilliseconds",
  "slowChecks",
  "slowCheckMilliseconds",
] as const satisfies readonly (keyof ReportFigures)[];

/**
 * A header and one line for each row, quoted according to RFC 4180. Goals and titles are untrusted: each is
 * one line, and an apostrophe is put before what a spreadsheet would take for a formula.
 */
export function reportCsv(view: Report): string {
  const snake = (name: string): string => name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
  const lines = [
    [view.by, "title", ...reportColumns.map(snake)],
    ...view.rows.map((row) => [
      csvText(row.key),
      csvText(row.title),
      ...reportColumns.map((column) => String(row[column] ?? "")),
    ]),
  ];
  return lines.map((cells) => `${cells.join(",")}\n`).join("");
}

function csvText(text: string): string {
  const line = shownLine(text);
  const inert = /^[=+\-@\t]/u.test(line) ? `'${line}` : line;
  return /[",]/u.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
