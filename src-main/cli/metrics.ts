/** `hox metrics`: what a run cost, by whom, and how much of it beside its agents. */
import type { RunView } from "#shared/contract/views/run.ts";
import { besideLine, spentBeside } from "#shared/domain/spending/spent-beside.ts";
import { totalTokens } from "#shared/domain/spending/usage.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode } from "./command-line.ts";
import { print, printJson } from "./output.ts";
import { spentText } from "./progress.ts";
import { withRunClient } from "./run-client.ts";

/** Of the run that goes on, or of the last one. */
export const metrics = (options: CommonOptions): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    const { run } = await client.state();
    if (!run) throw new CommandError("There is no run here.", 'Start one: hox run --goal "…"');
    if (options.json) printJson(metricsOf(run));
    else for (const line of metricsLines(run)) print(line);
    return exitCode.done;
  });

const metricsOf = (run: RunView) => {
  const { agents, beside, parts, ofDollars, ofTokens } = spentBeside(run.workers, run.budget.byWorker);
  return {
    run: run.id,
    goal: run.goal,
    stage: run.stage,
    spent: run.budget.spent,
    agents,
    beside: { ...beside, ofDollars, ofTokens, parts },
    workers: run.metrics,
    score: run.score,
  };
};

export function metricsLines(run: RunView): readonly string[] {
  const roles = new Map(run.workers.map(({ name, role }) => [name, role]));
  const sum = (counts: Readonly<Record<string, number>>): number =>
    Object.values(counts).reduce((total, count) => total + count, 0);
  const dollars = (micro: number): string => `$${(micro / 1e6).toFixed(4)}`;
  const rows = run.metrics.map(({ worker, toolCalls, failedCalls, conflictsMet, alignRequests }) => {
    const spent = run.budget.byWorker[worker];
    return [
      shownLine(worker),
      roles.get(worker) ?? "",
      dollars(spent?.microDollars ?? 0),
      `${(spent ? totalTokens(spent.usage) : 0).toLocaleString("en")}`,
      String(sum(toolCalls)),
      String(failedCalls),
      String(alignRequests),
      String(conflictsMet),
    ];
  });
  const cells = [
    ["worker", "role", "dollars", "tokens", "calls", "failed", "questions", "conflicts"],
    ...rows,
  ];
  const widths =
    cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? [];
  return [
    `${shownLine(run.goal)} (${run.stage})`,
    ...cells.map((row) =>
      row
        .map((cell, column) =>
          column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join("  ")
        .trimEnd(),
    ),
    `Spent ${spentText(run)}.`,
    `${besideLine(spentBeside(run.workers, run.budget.byWorker))}.`,
    ...(run.score ? [`Score ${run.score.total.toFixed(2)}`] : []),
  ];
}
