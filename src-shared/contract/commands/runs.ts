import { z } from "zod";
import type { RunTimeline } from "../../domain/timeline/timeline.ts";
import { line } from "../fields.ts";
import type { RunListEntry, RunView } from "../views/run.ts";
import type { RunReportAnswer } from "../views/run-report.ts";
import { answers, hostCommand } from "./command.ts";
import { maxReportedRuns } from "./report.ts";

/** All runs of a repository, read from its journal, whichever host owns it. */
export const runsCommands = {
  /** The newest first, the one that goes on among them. */
  "runs.list": hostCommand(
    { runs: z.number().int().min(1).max(maxReportedRuns).default(maxReportedRuns) },
    answers<readonly RunListEntry[]>(),
  ),
  /** What came of one of them: its id, the beginning of one, or `last`. */
  "runs.report": hostCommand({ run: line(100).min(1) }, answers<RunReportAnswer>()),
  /** One of them as it stood at its end, or stands now: what its picture is drawn from. */
  "runs.ending": hostCommand(
    { run: line(100).min(1) },
    answers<{ readonly run: RunView; readonly timeline: RunTimeline }>(),
  ),
};
