import { z } from "zod";
import type { CheckResult } from "../../domain/conversation/conversation.ts";
import type { StoresComparison } from "../../domain/metrics/metrics-trailer.ts";
import { type Report, reportKeys } from "../../domain/report/report.ts";
import type { RunTimeline } from "../../domain/timeline/timeline.ts";
import type { SeatView, ValidationView } from "../../domain/validation/panel.ts";
import type { FailedRound } from "../../domain/validation/rounds.ts";
import { line } from "../fields.ts";
import type { DecisionView, RunListEntry, RunView, WorkerView } from "../views/run.ts";
import { answers, hostCommand, repositoryCommand } from "./command.ts";

/** The default number of newest runs. */
export const reportedRunsByDefault = 50;
/** Each of them is read from its first event on. */
export const maxReportedRuns = 1_000;

/** Whether changes and database say the same of the figures of many runs. */
export interface StoresView extends StoresComparison {
  readonly runs: number;
  /** Changes with figures of runs that this journal does not have, as in a fresh clone. */
  readonly elsewhere: number;
  /** What it took to read each of them, in ms. */
  readonly databaseMs: number;
  readonly trailerMs: number;
}

/**
 * The report on one run, from its journal and the graph alone. Contains untrusted text of models and people.
 */
export interface RunReportView
  extends Omit<RunListEntry, "landed" | "isWatch" | "agents" | "tasks" | "tasksDone" | "waiting"> {
  readonly failure: RunView["failure"];
  /** The issue that it began from; null: it began from a goal. */
  readonly issue: { readonly number: number; readonly url: string; readonly title: string } | null;
  readonly landed: RunView["landed"];
  readonly requests: number;
  readonly result: ReportedResult;
  readonly decisions: readonly ReportedDecision[];
  /** What people did with it, in order, where several share the host; empty where it has one user. */
  readonly people: readonly ReportedAct[];
  readonly workers: readonly ReportedWorkerView[];
  readonly checks: readonly ReportedCheck[];
  /** Null without votes. */
  readonly votes: ReportedVotes | null;
  /** Of each phase that seats judged, the first first. */
  readonly phaseVotes: readonly (ReportedVotes & {
    readonly orchestrator: string;
    readonly number: number;
  })[];
  /** What of the tasks is missing from the result, a line for each task. */
  readonly missing: readonly string[];
  readonly left: readonly LeftToDo[];
}

/** What changed. */
export interface ReportedResult {
  /**
   * `landed`: what landed on the branch; `integration`: what was merged; `agents`: the agents' separate
   * changes.
   */
  readonly of: "landed" | "integration" | "agents" | "nothing";
  readonly files: readonly ReportedFile[];
  /** Titles of what landed, the newest first. */
  readonly commits: readonly string[];
  /** Why it is incomplete; null if it is complete. */
  readonly note: string | null;
}

export interface ReportedFile {
  readonly path: string;
  /** Lines; null where the file is binary, or too large to be counted. */
  readonly added: number | null;
  readonly removed: number | null;
}

export interface ReportedAct {
  /** ms since 1970. */
  readonly at: number;
  readonly by: string;
  /** As in "paused the run". */
  readonly did: string;
}

interface ReportedDecision extends Pick<DecisionView, "title" | "reason" | "orchestrator" | "files"> {
  /** Workers whose work still contradicts it. */
  readonly against: readonly string[];
}

export interface ReportedWorkerView
  extends Pick<
    WorkerView,
    "name" | "role" | "title" | "status" | "model" | "toolCalls" | "replaces" | "replacedBy" | "unmetered"
  > {
  readonly iterations: number;
  readonly milliseconds: number;
  readonly microDollars: number;
}

export type ReportedCheck = Pick<CheckResult, "name" | "outcome" | "ms">;

export interface ReportedVotes {
  readonly verdict: ValidationView["verdict"];
  readonly quorum: number;
  readonly seats: readonly (Pick<SeatView, "seat" | "evidence" | "reason"> & {
    readonly vote: SeatView["vote"] | "not asked";
  })[];
  /** What happened to other verdicts of the panel, in one line; null where no seat was asked. */
  readonly trust: string | null;
  /** Why the user landed it, or continued, against the verdict; null if they did not. */
  readonly overruled: string | null;
  /** Verdicts that failed before this one and what was repaired after each, the first first. */
  readonly rounds: readonly FailedRound[];
}

/** Something that the user may still want to do. */
export interface LeftToDo {
  readonly kind:
    | "missing"
    | "task"
    | "landing"
    | "check"
    | "vote"
    | "decision"
    | "comment"
    | "suggestion"
    | "card"
    | "step";
  /** Who it is about; null: the run. */
  readonly who: string | null;
  readonly text: string;
}

/** A report, and the same as a page to read. */
export interface RunReportAnswer {
  readonly report: RunReportView;
  readonly markdown: string;
}

/** Statistics over many runs. */
export const reportCommands = {
  /** Of this repository's runs including the active one; rehearsals are left out if there are other runs. */
  "report.runs": repositoryCommand(
    {
      by: z.enum(reportKeys).default("run"),
      runs: z.number().int().min(1).max(maxReportedRuns).default(reportedRunsByDefault),
    },
    answers<Report>(),
  ),
  /** Whether changes and database say the same of the newest complete ones. */
  "report.compareStores": repositoryCommand(
    {
      runs: z.number().int().min(1).max(maxReportedRuns).default(reportedRunsByDefault),
    },
    answers<StoresView>(),
  ),

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
