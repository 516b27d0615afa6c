/** What the journal keeps of a run beside its events. Plain JSON. */
import type { ScoreView, WorkerMetrics } from "#shared/contract/views/metrics.ts";
import type { ValidationView } from "#shared/contract/views/validation.ts";
import type { WorkerView } from "#shared/contract/views/worker.ts";
import { rootOrchestrator } from "#shared/domain/address.ts";
import type { Budget } from "#shared/domain/budget.ts";
import type { ConflictCause } from "#shared/domain/conflict.ts";
import type { CheckResult } from "#shared/domain/conversation.ts";
import type { DecisionNames } from "#shared/domain/decisions/compliance.ts";
import type { DecisionEdit } from "#shared/domain/decisions/decision-edit.ts";
import type { Standing } from "#shared/domain/decisions/standing.ts";
import type { Fold, FoldPlace } from "#shared/domain/fold.ts";
import type { Priority, Status } from "#shared/domain/metadata.ts";
import type { Plan } from "#shared/domain/plan.ts";
import type { Pattern } from "../patterns/patterns-interface.ts";

/** What is one orchestrator's own: its plan, and the two changes between which its tasks stand. */
export interface OwnFacts {
  readonly plan: Plan | null;
  readonly planApproved: boolean;
  /** Change id of its contracts. */
  readonly base: string | null;
  /** Change id of what brings its tasks together. */
  readonly integration: string | null;
  /** Change ids of the folds on its trunk, the lowest first. Absent in records of earlier versions. */
  readonly trunk?: readonly string[];
}

export const noOwnFacts: OwnFacts = { plan: null, planApproved: false, base: null, integration: null };

export interface RunFacts {
  /** By name, the root's among them. */
  readonly orchestrators: Readonly<Record<string, OwnFacts>>;
  /** What the person chose to build on. */
  readonly onto: { readonly changeId: string; readonly commitId: string } | null;
  readonly limits: { readonly tokens: number | null; readonly microDollars: number | null };
  /** Agents at once, and iterations of each, as a person set them for this run; null: as configured. */
  readonly maxParallelAgents: number | null;
  readonly maxIterations: number | null;
  readonly patterns: readonly Pattern[];
  readonly exchanges: readonly Exchange[];
  readonly decisions: readonly DecisionRecord[];
  /** Decision's change id → worker → how its work stands to it. */
  readonly standings: Readonly<Record<string, Readonly<Record<string, Standing>>>>;
  readonly validation: ValidationView | null;
  readonly score: ScoreView | null;
  readonly metrics: readonly WorkerMetrics[];
  readonly landed: Landed | null;
  /** The branch that the result is for; null: the card asks. Absent in records of earlier versions. */
  readonly branch?: string | null;
}

/** What landed, and between which commits its branch moved. */
export interface Landed {
  readonly bookmark: string;
  readonly changeId: string;
  /** Null: the branch was made new. Absent in records of earlier versions, with all that follows. */
  readonly from?: string | null;
  readonly to?: string;
  /** ms since 1970, when it was taken back. */
  readonly undoneAt?: number | null;
}

export const noFacts: RunFacts = {
  orchestrators: {},
  onto: null,
  limits: { tokens: null, microDollars: null },
  maxParallelAgents: null,
  maxIterations: null,
  patterns: [],
  exchanges: [],
  decisions: [],
  standings: {},
  validation: null,
  score: null,
  metrics: [],
  landed: null,
};

/** Facts as the journal holds them, also those of a version that knew one orchestrator only. */
export function readFacts(stored: (Partial<RunFacts> & Partial<OwnFacts>) | undefined): RunFacts {
  const { plan, planApproved, base, integration, ...rest } = stored ?? {};
  const facts: RunFacts = { ...noFacts, ...rest };
  const alone = [plan, planApproved, base, integration];
  return {
    ...facts,
    orchestrators: alone.every((value) => value === undefined)
      ? facts.orchestrators
      : {
          [rootOrchestrator]: {
            plan: plan ?? null,
            planApproved: planApproved ?? false,
            base: base ?? null,
            integration: integration ?? null,
          },
          ...facts.orchestrators,
        },
    decisions: facts.decisions.map((one) => ({ ...one, orchestrator: one.orchestrator ?? rootOrchestrator })),
  };
}

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
  /** Whose decision it is: it binds everything below its base. */
  readonly orchestrator: string;
  readonly changeId: string;
  readonly title: string;
  readonly reason: string;
  readonly files: readonly string[];
  /** Workers whose work it contradicted. */
  readonly contradicted: readonly string[];
  /** What it asks of its files. Absent in records of earlier versions, whose decisions bind by conflicts alone. */
  readonly edits?: readonly DecisionEdit[];
  readonly names?: DecisionNames;
}

/** A person works in the workspace of an agent. */
export interface ByHand {
  /** ms since 1970. */
  readonly since: number;
  /** Commit id of the work as it was taken over, against which the person's changes are told. */
  readonly commit: string;
}

/** A worker that its parent has to look at. (HYLO-14) */
export interface Quiet {
  readonly kind: "stalled" | "silent";
  /** ms since 1970. */
  readonly since: number;
  /** Whether the parent has answered. */
  readonly told: boolean;
}

/** What keeps a worker from going on until somebody has helped it. */
export interface Stuck {
  /** By its own word or its model's refusal, or at the end of its iterations. */
  readonly kind: "blocked" | "iterations";
  /** In its own words, or the checks that failed. */
  readonly reason: string;
  /** Counts its times, so that each is helped once. */
  readonly nth: number;
}

/** What a worker took in of what its siblings merged. */
export interface Took {
  /** Change id of the trunk's end when it tried. */
  readonly tip: string;
  /** Whether it stands on that, or would conflict with it and stays beside. */
  readonly place: FoldPlace;
  /** What came in and its next prompt will say. */
  readonly news: readonly string[];
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
  /** Leased to the folder; absent where there are none, and in records of earlier versions. */
  readonly ports?: Ports | null;
  readonly phase: number;
  readonly priority: Priority | null;
  readonly rank: string;
  readonly status: Status;
  /** The status that its change was last seen with; what differs from it was just written there. */
  readonly seen?: Status | undefined;
  readonly iteration: number;
  /** A person paused this one alone. Absent in records of earlier versions. */
  readonly held?: boolean;
  /** A person does its task in its workspace. Then it is held as well. */
  readonly byHand?: ByHand | null;
  /** Who had its task before. */
  readonly replaces?: string | null;
  /** Who has its task now: this one never works again. */
  readonly replacedBy?: string | null;
  /** The model of this one alone. */
  readonly model?: string | null;
  /** What this one may spend, in place of what is configured; null in it is no limit. */
  readonly limits?: Budget | null;
  /** Iterations of this one before a person is asked, in place of the run's. */
  readonly maxIterations?: number | null;
  /** What it is told in every prompt beside its task. */
  readonly notes?: readonly WorkerNote[];
  readonly conflict: "none" | "mutation" | "merge";
  /** Change id of the decision that it still has to conform to. */
  readonly contradicts: string | null;
  /** Where a merge conflict comes from. Absent in records of earlier versions. */
  readonly conflictCause?: ConflictCause | null;
  readonly checks: readonly CheckResult[];
  readonly summary: string;
  /** Its finished work on the way to its parent. Absent before the first offer, and in earlier versions. */
  readonly fold?: Fold;
  /** Iterations on end without a change of its files or checks. */
  readonly still?: number;
  /** It comes to nothing or says nothing, until its next progress. */
  readonly quiet?: Quiet | null;
  /** How often it fell quiet, so that each time is told once. */
  readonly quiets?: number;
  /** It waits for help: its parent's, then a person's. */
  readonly stuck?: Stuck | null;
  /** How often it got stuck, and how often its parent has helped since a person did. */
  readonly stucks?: number;
  readonly helped?: number;
  /** The trunk as far as it tried to take it in. Absent while nothing was merged, and in earlier versions. */
  readonly took?: Took;
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

/** What an agent must know of those who had its task before it: another agent, or a person. Plain JSON, kept. */
export type WorkerNote =
  | {
      readonly kind: "handed-over";
      readonly from: string;
      readonly iterations: number;
      /** What the one before said of its work; empty when it never reported. */
      readonly summary: string;
      readonly files: readonly string[];
      readonly checks: readonly CheckResult[];
      /** Questions of the one before that nobody has answered. */
      readonly questions: readonly string[];
      /** The orchestrator that gave the task away; left out where a person did. */
      readonly by?: string;
      /** The words of whoever gave it away, empty when there are none. */
      readonly words: string;
    }
  | {
      readonly kind: "by-hand";
      readonly files: readonly string[];
      /** Git-format, cut to `longestDiff`. */
      readonly diff: string;
      readonly words: string;
    };

/** The ports `base` to `base + count - 1`. */
export interface Ports {
  readonly base: number;
  readonly count: number;
}
