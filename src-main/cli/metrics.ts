/** `hox metrics`: what a run cost, by whom, and how much of it beside its agents; and what many runs came to. */
import type { RunView } from "#shared/contract/views/run.ts";
import { checkRatio, sumChecks } from "#shared/domain/metrics/checks-run.ts";
import { workedMs } from "#shared/domain/metrics/worked-time.ts";
import { overheadLine, splitSpending } from "#shared/domain/spending/spent-beside.ts";
import { totalTokens } from "#shared/domain/spending/usage.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { scoreLines } from "#shared/domain/validation/score.ts";
import { CommandError, type ExitCode, exitCode } from "./command-line.ts";
import { dollarText, secondsText, tableLines } from "./metrics-table.ts";
import { print, printJson } from "./output.ts";
import { spentText } from "./progress.ts";
import { compareStores, type ReportOptions, report } from "./report.ts";
import { withRunClient } from "./run-client.ts";
import { trustLines } from "./verdict-lines.ts";

export interface MetricsOptions extends ReportOptions {
  readonly compareStores?: boolean;
}

/** Of the run that goes on, or of the last one; of many where the options say so. */
export const metrics = (options: MetricsOptions): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    if (options.csv && options.json)
      throw new CommandError("--csv and --json can't be combined.", "Use one of them.", exitCode.usage);
    if (options.compareStores) {
      if (options.csv || options.by)
        throw new CommandError("--compare-stores works only with --runs and --json.", null, exitCode.usage);
      return compareStores(client, options);
    }
    if (options.runs !== undefined || options.by !== undefined || options.csv) return report(client, options);
    const { run } = await client.state();
    if (!run) throw new CommandError("No run in this repository.", 'Start one: hox run --goal "…"');
    if (options.json) printJson(metricsOf(run));
    else for (const line of metricsLines(run)) print(line);
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
