import { mostReportedRuns } from "#shared/contract/commands/report.ts";
import { reportKeys } from "#shared/domain/report/report-figures.ts";
import { oneLine, oneOf, wholeNumber } from "./command-line.ts";
import type { CommandList } from "./command-list.ts";

/** What came of a run: its cost, taking it back, sending it on, and clearing up behind it. */
export function addResultCommands({ command, end }: CommandList): void {
  command(
    "metrics",
    "what the run cost, by whom, and how much of it beside its agents; with --runs or --by, what many runs came to",
  )
    .option("--runs <n>", "of the newest so many runs (default: 50)", wholeNumber(1, mostReportedRuns))
    .option("--by <what>", `a row for each ${reportKeys.join(", ")} (default: run)`, oneOf(reportKeys))
    .option("--csv", "the report as CSV")
    .option("--compare-stores", "whether changes and database say the same")
    .action(async (options) => end(await (await import("./metrics.ts")).metrics(options)));

  command("runs", "every run that this repository had, the newest first")
    .option("-n, --limit <n>", "of the newest so many (default: 20)", wholeNumber(1, mostReportedRuns))
    .action(async (options) => end(await (await import("./runs.ts")).runs(options)));

  command(
    "report",
    "what came of a run, as Markdown: changes, decisions, work, votes, cost, what is left to do",
  )
    .argument("[run]", "its id, the beginning of one, or `last` (default: last)", oneLine, "last")
    .action(async (run, options) => end(await (await import("./run-report.ts")).runReport(run, options)));

  command("orientation", "where the run is, or one who works in it: goal, plan, steps, decisions, branch")
    .option("--worker <name>", "for instance agent-2; left out: the run", oneLine)
    .action(async (options) => end(await (await import("./orientation.ts")).orientation(options)));

  command("undo", "take back the file changes of one agent")
    .argument("<agent>", "for instance agent-2", oneLine)
    .option("-y, --yes", "do not ask")
    .option("--wait", "the agent waits until it is resumed, instead of beginning anew with the run")
    .action(async (agent, options) => end(await (await import("./undo.ts")).undo(agent, options)));

  command(
    "undo-landing",
    "the branch back where it stood before the last run landed; the work stays on the graph",
  )
    .option("-y, --yes", "do not ask")
    .action(async (options) => end(await (await import("./undo-landing.ts")).undoLanding(options)));

  command(
    "restore",
    "the whole repository back to a moment, while every run is paused; a look at it comes first",
  )
    .requiredOption(
      "--to <moment>",
      "an operation of `jj op log`, a time (15:30, 2026-05-04T15:30), or how long ago (20m)",
      oneLine,
    )
    .option("--dry-run", "only show what it would do")
    .option("-y, --yes", "do not ask")
    .action(async (options) => end(await (await import("./restore.ts")).restore(options)));

  command(
    "catch-up",
    "your folder onto what the last run landed; edits of your own stay as the change they are",
  )
    .option("-y, --yes", "do not ask")
    .action(async (options) => end(await (await import("./catch-up.ts")).catchUp(options)));

  command("push", "a bookmark to its remote, after a look at what would move")
    .argument("[bookmark]", "default: the branch that you are on, else main, master or trunk", oneLine)
    .option("-y, --yes", "do not ask")
    .option("--no-notes", "without the metadata of runs in Git notes")
    .action(async (bookmark, options) => end(await (await import("./push.ts")).push(bookmark, options)));

  command(
    "clean",
    "remove what runs that are over have left: workspaces, branches of agents, messages; their work stands in their changes",
  )
    .option("-y, --yes", "do not ask")
    .action(async (options) => end(await (await import("./clean.ts")).clean(options)));
}
