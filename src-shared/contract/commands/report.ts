import { z } from "zod";
import { reportKeys } from "../../domain/report/report.ts";
import type { ReportView, StoresView } from "../views/report.ts";
import { answers, repositoryCommand } from "./command.ts";

/** The default number of newest runs. */
export const reportedRunsByDefault = 50;
/** Each of them is read from its first event on. */
export const maxReportedRuns = 1_000;

/** Statistics over many runs. */
export const reportCommands = {
  /** Of this repository's runs including the active one; rehearsals are left out if there are other runs. */
  "report.runs": repositoryCommand(
    {
      by: z.enum(reportKeys).default("run"),
      runs: z.number().int().min(1).max(maxReportedRuns).default(reportedRunsByDefault),
    },
    answers<ReportView>(),
  ),
  /** Whether changes and database say the same of the newest complete ones. */
  "report.compareStores": repositoryCommand(
    {
      runs: z.number().int().min(1).max(maxReportedRuns).default(reportedRunsByDefault),
    },
    answers<StoresView>(),
  ),
};
