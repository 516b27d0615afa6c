/** What many runs came to, and whether both stores of figures say the same of them. */
import { reportedRunsByDefault } from "#shared/contract/commands/report.ts";
import type { ReportView, StoresView } from "#shared/contract/views/report.ts";
import type { StoreDifference } from "#shared/domain/metrics/compare-stores.ts";
import { reportCsv } from "#shared/domain/report/report.ts";
import type { ReportFigures, ReportKey } from "#shared/domain/report/report-figures.ts";
import { shortened } from "#shared/domain/text/cut-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { type CommonOptions, type ExitCode, exitCode } from "./command-line.ts";
import { dollarText, secondsText, tableLines } from "./metrics-table.ts";
import { print, printJson } from "./output.ts";
import type { RunClient } from "./run-client.ts";

export interface ReportOptions extends CommonOptions {
  readonly runs?: number;
  readonly by?: ReportKey;
  readonly csv?: boolean;
}

type Client = Pick<RunClient, "execute">;

export async function report(
  client: Client,
  { by = "run", runs, csv, json }: ReportOptions,
): Promise<ExitCode> {
  const view = await client.execute("report.runs", { by, runs: runs ?? reportedRunsByDefault });
  if (json) printJson(view);
  else if (csv) print(reportCsv(view).trimEnd());
  else for (const line of reportLines(view)) print(line);
  return exitCode.done;
}

/** What two different words are told by on one line. */
const maxTitleLength = 40;

export function reportLines({ by, rows, total, from, to, leftOut }: ReportView): readonly string[] {
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

export async function compareStores(client: Client, { runs, json }: ReportOptions): Promise<ExitCode> {
  const view = await client.execute("report.compareStores", { runs: runs ?? reportedRunsByDefault });
  if (json) printJson(view);
  else for (const line of storesLines(view)) print(line);
  return exitCode.done;
}

/** Differences that are told one by one. */
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
