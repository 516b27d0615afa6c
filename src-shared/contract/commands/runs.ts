import { z } from "zod";
import type { RunTimeline } from "../../domain/timeline/timeline.ts";
import { line } from "../fields.ts";
import type { RunListEntry, RunView } from "../views/run.ts";
import type { RunReportAnswer } from "../views/run-report.ts";
import { answers, hostCommand } from "./command.ts";
import { maxReportedRuns } from "./report.ts";

/** All runs of a repository, read from its journal, whichever host owns it. */
export const runsCommands = {
  /** Newest first, including the active one. */
  "runs.list": hostCommand(
    { runs: z.number().int().min(1).max(maxReportedRuns).default(maxReportedRuns) },
    answers<readonly RunListEntry[]>(),
  ),
  /** The report on one of them: by its id, a prefix of one, or `last`. */
  "runs.report": hostCommand({ run: line(100).min(1) }, answers<RunReportAnswer>()),
  /** One of them at its end, or now: the data of its picture. */
  "runs.ending": hostCommand(
    { run: line(100).min(1) },
    answers<{ readonly run: RunView; readonly timeline: RunTimeline }>(),
  ),
};
