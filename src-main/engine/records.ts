/** What the journal keeps of a run beside its events. Plain JSON. */
import type { ScoreView, ValidationView, WorkerMetrics, WorkerView } from "#shared/contract/views.ts";
import type { CheckResult } from "#shared/domain/conversation.ts";
import type { Priority, Status } from "#shared/domain/metadata.ts";
import type { Plan } from "#shared/domain/plan.ts";
import type { Pattern } from "../patterns/patterns-interface.ts";

export interface RunFacts {
  readonly plan: Plan | null;
  readonly planApproved: boolean;
  /** What the person chose to build on. */
  readonly onto: { readonly changeId: string; readonly commitId: string } | null;
  readonly base: string | null;
  readonly integration: string | null;
  readonly limits: { readonly tokens: number | null; readonly microDollars: number | null };
  readonly patterns: readonly Pattern[];
  readonly exchanges: readonly Exchange[];
  readonly decisions: readonly DecisionRecord[];
  readonly validation: ValidationView | null;
  readonly score: ScoreView | null;
  readonly metrics: readonly WorkerMetrics[];
  readonly landed: { readonly bookmark: string; readonly changeId: string } | null;
}

export const noFacts: RunFacts = {
  plan: null,
  planApproved: false,
  onto: null,
  base: null,
  integration: null,
  limits: { tokens: null, microDollars: null },
  patterns: [],
  exchanges: [],
  decisions: [],
  validation: null,
  score: null,
  metrics: [],
  landed: null,
};

/** A question of a worker on its way to an answer. */
export interface Exchange {
  readonly id: string;
  readonly from: string;
  readonly question: string;
  readonly options: readonly string[];
  readonly blocking: boolean;
  /** Null until an answer was sent. */
  readonly answer: string | null;
}

/** A mutation that was applied. */
export interface DecisionRecord {
  readonly changeId: string;
  readonly title: string;
  readonly reason: string;
  readonly files: readonly string[];
  /** Workers whose work it contradicted. */
  readonly contradicted: readonly string[];
}

/** A worker as it is kept; what it does at this moment is beside it in `Worker`. */
export interface WorkerRecord {
  readonly name: string;
  readonly role: WorkerView["role"];
  readonly parent: string | null;
  /** Id in the plan, for agents. */
  readonly task: string | null;
  readonly changeId: string | null;
  readonly title: string;
  readonly folder: string | null;
  readonly phase: number;
  readonly priority: Priority | null;
  readonly rank: string;
  readonly status: Status;
  readonly iteration: number;
  /** A person paused this one alone. Absent in records of earlier versions. */
  readonly held?: boolean;
  readonly conflict: "none" | "mutation" | "merge";
  /** Change id of the decision that it still has to conform to. */
  readonly contradicts: string | null;
  readonly checks: readonly CheckResult[];
  readonly summary: string;
  /** The question that it waits for. */
  readonly exchange: string | null;
  readonly contextTokens: number;
  readonly toolCalls: number;
}

export const newWorker = (
  worker: Pick<WorkerRecord, "name" | "role" | "parent" | "title"> & Partial<WorkerRecord>,
): WorkerRecord => ({
  task: null,
  changeId: null,
  folder: null,
  phase: 0,
  priority: null,
  rank: "",
  status: "open",
  iteration: 0,
  conflict: "none",
  contradicts: null,
  checks: [],
  summary: "",
  exchange: null,
  contextTokens: 0,
  toolCalls: 0,
  ...worker,
});
