import type { StoresComparison } from "../../domain/metrics/compare-stores.ts";
import type { Report } from "../../domain/report/report.ts";

/** Figures over many runs of one repository, as window and terminals show them. */
export interface ReportView extends Report {}

/** Whether changes and database say the same of the figures of many runs. */
export interface StoresView extends StoresComparison {
  readonly runs: number;
  /** Changes with figures of runs that this journal does not have, as in a fresh clone. */
  readonly elsewhere: number;
  /** What it took to read each of them, in ms. */
  readonly databaseMs: number;
  readonly trailerMs: number;
}
