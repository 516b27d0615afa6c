import type { RunEnd } from "../../domain/run/stage-state.ts";
import type { RunSummary } from "./run.ts";

/** One run of a repository, as a list of runs has room for it, and two of them side by side. */
export interface RunListEntry extends RunSummary {
  readonly model: string;
  readonly rehearsal: string | null;
  readonly isQuick: boolean;
  /** It only reviewed sessions outside Hox; absent: no. */
  readonly isWatch?: true;
  /** Null while it is active. */
  readonly endedBy: RunEnd | null;
  readonly landed: { readonly bookmark: string; readonly isTakenBack: boolean } | null;
  /** Who worked on a task of a plan; by name. */
  readonly agents: readonly string[];
  readonly tasks: number;
  readonly tasksDone: number;
  readonly tokens: number;
  /** At work, of all workers together. */
  readonly workedMs: number;
  readonly conflicts: number;
  readonly questions: number;
  readonly repairRounds: number;
  readonly reworkedTasks: number;
  /** Files that its agents claimed; its report has the changed ones. */
  readonly plannedFiles: number;
  readonly score: number | null;
  /** Cards that wait for the user. */
  readonly waiting: number;
}
