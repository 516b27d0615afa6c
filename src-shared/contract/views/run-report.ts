import type { CheckResult } from "../../domain/conversation/conversation.ts";
import type { Status } from "../../domain/graph-words/metadata.ts";
import type { RunEnd } from "../../domain/run/stage-state.ts";
import type { FailedRound } from "../../domain/validation/failed-rounds.ts";
import type { WorkerRole } from "../../domain/worker/worker-record.ts";
import type { RunSummary, RunView } from "./run.ts";

/**
 * The report on one run, from its journal and the graph alone. Contains untrusted text of models and people.
 */
export interface RunReportView extends RunSummary {
  readonly model: string;
  readonly rehearsal: string | null;
  readonly isQuick: boolean;
  readonly endedBy: RunEnd | null;
  readonly failure: RunView["failure"];
  readonly landed: RunView["landed"];
  readonly tokens: number;
  readonly requests: number;
  /** Work time of all workers together, without waiting for the user or a provider. */
  readonly workedMs: number;
  readonly result: ReportedResult;
  readonly decisions: readonly ReportedDecision[];
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
  readonly conflicts: number;
  readonly questions: number;
  readonly repairRounds: number;
  readonly reworkedTasks: number;
  readonly score: number | null;
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

interface ReportedDecision {
  readonly title: string;
  readonly reason: string;
  readonly orchestrator: string;
  readonly files: readonly string[];
  /** Workers whose work still contradicts it. */
  readonly against: readonly string[];
}

export interface ReportedWorkerView {
  readonly name: string;
  readonly role: WorkerRole;
  readonly title: string;
  readonly status: Status;
  readonly model: string;
  readonly iterations: number;
  readonly toolCalls: number;
  readonly milliseconds: number;
  readonly microDollars: number;
  /** Another one had its task first, or has it now. */
  readonly replaces: string | null;
  readonly replacedBy: string | null;
}

export interface ReportedCheck {
  readonly name: string;
  readonly outcome: CheckResult["outcome"];
  readonly ms: number;
}

export interface ReportedVotes {
  readonly verdict: "open" | "approved" | "rejected" | "vetoed" | "undecided";
  readonly quorum: number;
  readonly seats: readonly {
    readonly seat: string;
    readonly evidence: string;
    readonly vote: string;
    readonly reason: string;
  }[];
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
