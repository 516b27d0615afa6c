import type { RunReportAnswer } from "#shared/contract/views/run-report.ts";
import { openRecording, withJournal } from "./open-recording.ts";
import { readResult } from "./read-result.ts";
import { createReplay } from "./replay.ts";
import { runReport } from "./run-report.ts";
import { runReportMarkdown } from "./run-report-markdown.ts";

/**
 * The report on one of a repository's runs, and the same as a page. Nothing is written.
 *
 * @param name its id, the beginning of one, or `last`
 * @throws ReplayRefusal where no run, or more than one, is called so
 */
export async function readRunReport(
  repository: Parameters<typeof readResult>[0],
  stateFolder: string,
  name: string,
): Promise<RunReportAnswer> {
  const recording = openRecording(stateFolder, name);
  const verdicts = withJournal(stateFolder, (journal) => journal.verdicts());
  const { to, viewsAt } = createReplay(recording);
  const views = viewsAt(to);
  const report = runReport(recording, views, await readResult(repository, views.run), verdicts);
  return { report, markdown: runReportMarkdown(report) };
}
