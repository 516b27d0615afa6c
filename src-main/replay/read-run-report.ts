import type { RunReportAnswer } from "#shared/contract/views/run-report.ts";
import { readResult } from "./read-result.ts";
import type { Recording } from "./recording.ts";
import { createReplay } from "./replay.ts";
import { runReport } from "./run-report.ts";
import { runReportMarkdown } from "./run-report-markdown.ts";

/** The report on a recorded run, and the same as a page. Nothing is written. */
export async function readRunReport(
  repository: Parameters<typeof readResult>[0],
  recording: Recording,
): Promise<RunReportAnswer> {
  const { to, viewsAt } = createReplay(recording);
  const views = viewsAt(to);
  const report = runReport(recording, views, await readResult(repository, views.run));
  return { report, markdown: runReportMarkdown(report) };
}
