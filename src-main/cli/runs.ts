/** `hox runs` and `hox report`: every run that this repository had, and a page about one. */
import type { RunListEntry } from "#shared/contract/views/run.ts";
import { shortened } from "#shared/domain/text/cut-text.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { defaultStateFolder, repositoryStateFolder } from "../config/state-folder.ts";
import { withJournalOrNone } from "../replay/open-recording-file.ts";
import { readRunReport } from "../replay/read-run-report.ts";
import { createRunLists } from "../replay/run-list.ts";
import { type CommonOptions, type ExitCode, exitCode } from "./command-line.ts";
import { dollarText, secondsText, tableLines } from "./metrics.ts";
import { print, printJson, show } from "./output.ts";
import { withRepository } from "./repository.ts";

const runsByDefault = 20;

export const runs = (options: CommonOptions & { readonly limit?: number }): Promise<ExitCode> =>
  withRepository(options, async ({ root }) => {
    const stateFolder = repositoryStateFolder(defaultStateFolder(), root);
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
    const stateFolder = repositoryStateFolder(defaultStateFolder(), repository.root);
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
