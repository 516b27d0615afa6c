import { maxReportedRuns } from "#shared/contract/commands/report.ts";
import { reportKeys } from "#shared/domain/report/report-figures.ts";
import { oneLine, oneOf, wholeNumber } from "./command-line.ts";
import type { CommandList } from "./command-list.ts";

/** What came of a run: its cost, taking it back, sending it on, and clearing up behind it. */
export function addResultCommands({ command, end }: CommandList): void {
  command(
    "metrics",
    "show what the run cost, per agent and as overhead; with --runs or --by, a report over several runs",
  )
    .option("--runs <n>", "number of newest runs to include (default: 50)", wholeNumber(1, maxReportedRuns))
    .option("--by <what>", `one row per ${reportKeys.join(", ")} (default: run)`, oneOf(reportKeys))
    .option("--csv", "print the report as CSV")
    .option("--compare-stores", "compare the metrics on changes with those in the database")
    .action(async (options) => end(await (await import("./metrics.ts")).metrics(options)));

  command("runs", "list all runs of this repository, newest first")
    .option("-n, --limit <n>", "number of newest runs to list (default: 20)", wholeNumber(1, maxReportedRuns))
    .action(async (options) => end(await (await import("./runs.ts")).runs(options)));

  command("report", "print a report of a run as Markdown: changes, decisions, work, votes, cost, open tasks")
    .argument("[run]", "run ID, the start of one, or `last` (default: last)", oneLine, "last")
    .action(async (run, options) => end(await (await import("./run-report.ts")).runReport(run, options)));

  command("orientation", "show the state of the run or of one worker: goal, plan, steps, decisions, branch")
    .option("--worker <name>", "for example agent-2 (default: the run)", oneLine)
    .action(async (options) => end(await (await import("./orientation.ts")).orientation(options)));

  command("undo", "undo the file changes of one agent")
    .argument("<agent>", "for example agent-2", oneLine)
    .option("-y, --yes", "don't ask for confirmation")
    .option("--wait", "keep the agent paused instead of restarting it with the run")
    .action(async (agent, options) => end(await (await import("./undo.ts")).undo(agent, options)));

  command("undo-landing", "move the branch back to before the last run landed; the work stays in the graph")
    .option("-y, --yes", "don't ask for confirmation")
    .action(async (options) => end(await (await import("./undo-landing.ts")).undoLanding(options)));

  command(
    "restore",
    "restore the whole repository to an earlier point, after a preview; all runs must be paused",
  )
    .requiredOption(
      "--to <moment>",
      "an operation from `jj op log`, a time (15:30, 2026-05-04T15:30), or an age (20m)",
      oneLine,
    )
    .option("--dry-run", "only show what would change")
    .option("-y, --yes", "don't ask for confirmation")
    .action(async (options) => end(await (await import("./restore.ts")).restore(options)));

  command("catch-up", "move your folder to what the last run landed; your own edits are kept as their change")
    .option("-y, --yes", "don't ask for confirmation")
    .action(async (options) => end(await (await import("./catch-up.ts")).catchUp(options)));

  command("push", "push a bookmark to its remote, after a preview")
    .argument("[bookmark]", "default: your current branch, else main, master or trunk", oneLine)
    .option("-y, --yes", "don't ask for confirmation")
    .option("--no-notes", "don't push run metadata in Git notes")
    .action(async (bookmark, options) => end(await (await import("./push.ts")).push(bookmark, options)));

  command(
    "clean",
    "delete workspaces, agent branches and messages left by ended runs; their work stays in its changes",
  )
    .option("-y, --yes", "don't ask for confirmation")
    .action(async (options) => end(await (await import("./clean.ts")).clean(options)));
}
