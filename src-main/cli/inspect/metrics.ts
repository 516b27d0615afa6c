/** `hox metrics`: what a run cost, by worker and overhead; and statistics over many runs. */

import type { StoresView } from "#shared/contract/commands/report.ts";
import { reportedRunsByDefault } from "#shared/contract/commands/report.ts";
import type { RunListEntry, RunView } from "#shared/contract/views/run.ts";
import { checkRatio, sumChecks } from "#shared/domain/metrics/measured-worker.ts";
import type { StoreDifference } from "#shared/domain/metrics/metrics-trailer.ts";
import { workedMs } from "#shared/domain/metrics/metrics-trailer.ts";
import type { Report } from "#shared/domain/report/report.ts";
import { type ReportFigures, type ReportKey, reportCsv } from "#shared/domain/report/report.ts";
import { overheadLine, splitSpending } from "#shared/domain/spending/prices.ts";
import { totalTokens } from "#shared/domain/spending/usage.ts";
import { shortened } from "#shared/domain/text/format-text.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { scoreLines } from "#shared/domain/validation/score.ts";
import { withJournalOrNone } from "../../replay/open-recording-file.ts";
import { readRunReport } from "../../replay/read-run-report.ts";
import { createRunLists } from "../../replay/run-list.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode } from "../command-line.ts";
import { dollarText, print, printJson, secondsText, show, tableLines } from "../output.ts";
import { stateFolderOf, withRepository } from "../repository.ts";
import { spentText, trustLines } from "../run/progress.ts";
import { withRunClient } from "../run/run-client.ts";

interface MetricsOptions extends CommonOptions {
  readonly runs?: number;
  readonly by?: ReportKey;
  readonly csv?: boolean;
  readonly compareStores?: boolean;
}

/** Titles are shortened to this. */
const maxTitleLength = 40;

export function reportLines({ by, rows, total, from, to, leftOut }: Report): readonly string[] {
  if (from === null || to === null) return ["No runs in this repository yet."];
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
  const line = (name: string, figures: ReportFigures): readonly string[] => [
    shortened(shownLine(name), maxTitleLength),
    String(figures.runs),
    String(figures.complete),
    dollarText(figures.microDollars),
    figures.tokens.toLocaleString("en"),
    secondsText(figures.milliseconds),
    String(figures.failedCalls),
    String(figures.iterations),
    String(figures.discardedIterations),
    String(figures.conflicts),
    String(figures.repairRounds),
    String(figures.reworkedTasks),
    `${figures.fastChecks}:${figures.slowChecks}`,
    figures.score === null ? "–" : figures.score.toFixed(2),
  ];
  const head = ["runs", "complete", "dollars", "tokens", "time", "failed", "iterations", "discarded"];
  return [
    `${total.runs} ${total.runs === 1 ? "run" : "runs"} from ${day(from)} to ${day(to)}${leftOut > 0 ? `; ${leftOut} older ${leftOut === 1 ? "run" : "runs"} not shown` : ""}`,
    ...tableLines(
      [by, ...head, "conflicts", "repairs", "reworked", "fast:slow", "score"],
      [...rows.map((row) => line(row.title, row)), line("total", total)],
      1,
    ),
  ];
}

/** Maximum of differences that are listed. */
const maxDifferences = 50;

export function storesLines(view: StoresView): readonly string[] {
  const { runs, changes, same, asConfigured, differences, elsewhere, databaseMs, trailerMs } = view;
  const lines = differences.slice(0, maxDifferences).map(differenceLine);
  const more = differences.length - lines.length;
  return [
    `${changes} changes of ${runs} complete ${runs === 1 ? "run" : "runs"}: ${same} identical in both stores, ${asConfigured} in one store as configured, ${differences.length} ${differences.length === 1 ? "difference" : "differences"}.`,
    ...lines,
    ...(more > 0 ? [`and ${more} more; use --json for all`] : []),
    ...(elsewhere > 0
      ? [
          `${elsewhere} other ${elsewhere === 1 ? "change has" : "changes have"} figures of runs that were not recorded here: \`hox log -r 'metrics()'\` lists them.`,
        ]
      : []),
    `Read in ${databaseMs} ms from the database, in ${trailerMs} ms from the changes.`,
  ];
}

function differenceLine({
  run,
  worker,
  changeId,
  kind,
  figure,
  onChange,
  inDatabase,
}: StoreDifference): string {
  const who = `${shownLine(run)} ${worker === null ? "result" : shownLine(worker)} ${changeId.slice(0, 8)}`;
  const none = (value: number | null): string => (value === null ? "nothing" : String(value));
  switch (kind) {
    case "differs":
      return `${who}: ${figure} is ${none(onChange)} on the change, ${none(inDatabase)} in the database`;
    case "not-on-change":
      return `${who}: in the database, not on the change`;
    case "not-in-database":
      return `${who}: on the change, not in the database`;
    case "unreadable":
      return `${who}: the metrics on the change can't be read`;
  }
}

/** Of the active or the last run; of many with the options for it. */
export const metrics = (options: MetricsOptions): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    const { by, csv, json, compareStores, runs = reportedRunsByDefault } = options;
    if (csv && json)
      throw new CommandError("--csv and --json can't be combined.", "Use one of them.", exitCode.usage);
    if (compareStores) {
      if (csv || by)
        throw new CommandError("--compare-stores works only with --runs and --json.", null, exitCode.usage);
      const view = await client.execute("report.compareStores", { runs });
      show(options, view, storesLines(view));
    } else if (options.runs !== undefined || by !== undefined || csv) {
      const view = await client.execute("report.runs", { by: by ?? "run", runs });
      show(options, view, csv ? reportCsv(view).trimEnd() : reportLines(view));
    } else {
      const { run } = await client.state();
      if (!run) throw new CommandError("No run in this repository.", 'Start one: hox run --goal "…"');
      show(options, metricsOf(run), metricsLines(run));
    }
    return exitCode.done;
  });

const metricsOf = (run: RunView) => {
  const { agents, overhead, parts, ofDollars, ofTokens } = splitSpending(run.workers, run.budget.byWorker);
  return {
    run: run.id,
    goal: run.goal,
    stage: run.stage,
    spent: run.budget.spent,
    agents,
    overhead: { ...overhead, ofDollars, ofTokens, parts },
    workers: run.metrics,
    score: run.score,
    trust: run.trust,
    workerScores: run.workerScores,
  };
};

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

export function metricsLines(run: RunView): readonly string[] {
  const roles = new Map(run.workers.map(({ name, role }) => [name, role]));
  const rows = run.metrics.map((one) => {
    const { worker, msByPhase, votes } = one;
    const spent = run.budget.byWorker[worker];
    const scored = run.workerScores[worker];
    return [
      shownLine(worker),
      roles.get(worker) ?? "",
      dollarText(spent?.microDollars ?? 0),
      `${(spent ? totalTokens(spent.usage) : 0).toLocaleString("en")}`,
      String(sum(one.toolCalls)),
      String(one.failedCalls),
      String(one.alignRequests),
      String(one.conflictsMet),
      secondsText(workedMs(msByPhase)),
      secondsText(msByPhase.thinking ?? 0),
      secondsText(msByPhase.tools ?? 0),
      votes.passed + votes.failed === 0 ? "–" : `${votes.passed}/${votes.passed + votes.failed}`,
      scored ? scored.total.toFixed(2) : "–",
    ];
  });
  return [
    `${shownLine(run.goal)} (${run.stage})`,
    ...tableLines(
      [
        ["worker", "role", "dollars", "tokens", "calls", "failed", "questions", "conflicts"],
        ["time", "thinking", "tools", "votes", "score"],
      ].flat(),
      rows,
      2,
    ),
    ...checkLines(run),
    `Spent ${spentText(run)}.`,
    `${overheadLine(splitSpending(run.workers, run.budget.byWorker))}.`,
    ...(run.validation ? trustLines(run.validation, run.trust) : []),
    ...(run.score ? [`Score ${run.score.total.toFixed(2)}`, ...partLines(run.score)] : []),
  ];
}

/** How often fast and slow checks ran, and what they took. (PLAN-6b) */
function checkLines(run: RunView): readonly string[] {
  const checks = sumChecks(run.metrics.map((one) => one.checks));
  const ratio = checkRatio(checks);
  if (ratio === null) return [];
  const words = (["fast", "slow"] as const).map((speed) => {
    const { runs, failed, ms } = checks[speed];
    return `${runs} ${speed} in ${secondsText(ms)}${failed === 0 ? "" : `, ${failed} failed`}`;
  });
  return [`Checks: ${words.join("; ")} (${ratio}).`];
}

const partLines = (score: NonNullable<RunView["score"]>): readonly string[] =>
  scoreLines(score).map(
    ({ part, value, weight, words }) =>
      `  ${part.padEnd(12)}  ${value === null ? "   –" : value.toFixed(2)} × ${weight.toFixed(2)}  ${words}`,
  );

const runsByDefault = 20;

export const runs = (options: CommonOptions & { readonly limit?: number }): Promise<ExitCode> =>
  withRepository(options, async ({ root }) => {
    const stateFolder = stateFolderOf(root);
    const found =
      withJournalOrNone(stateFolder, (journal) =>
        createRunLists()(stateFolder, journal, options.limit ?? runsByDefault),
      ) ?? [];
    if (options.json) for (const run of found) printJson(run);
    else for (const line of runLines(found)) print(line);
    return exitCode.done;
  });

export const runReport = (name: string, options: CommonOptions): Promise<ExitCode> =>
  withRepository(options, async (repository) => {
    const stateFolder = stateFolderOf(repository.root);
    const { report, markdown } = await readRunReport(repository, stateFolder, name);
    show(options, report, markdown.trimEnd());
    return exitCode.done;
  });

const maxGoalLength = 48;

const runLines = (found: readonly RunListEntry[]): readonly string[] =>
  found.length === 0
    ? ["No runs in this repository yet."]
    : tableLines(
        ["run", "begun", "goal", "end", "agents", "tasks", "time", "dollars"],
        found.map((run) => [
          run.id.slice(0, 8),
          new Date(run.startedAt).toISOString().slice(0, 16).replace("T", " "),
          shortened(shownLine(run.goal), maxGoalLength),
          endOf(run),
          String(run.agents.length),
          `${run.tasksDone}/${run.tasks}`,
          run.endedAt === null ? "–" : secondsText(run.endedAt - run.startedAt),
          dollarText(run.microDollars),
        ]),
        4,
      );

function endOf({ landed, stage, endedAt, waiting }: RunListEntry): string {
  if (endedAt === null) return waiting > 0 ? `${stage}, ${waiting} waiting` : stage;
  if (landed) return landed.isTakenBack ? "undone" : `on ${shownName(landed.bookmark)}`;
  return stage;
}
