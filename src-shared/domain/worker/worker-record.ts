/** What is kept of a worker. Nobody writes one: `reduce-workers.ts` makes it of the events of a run. Plain JSON. */

import type { Status } from "../change-metadata/metadata.ts";
import type { ConflictCause, MergedSide } from "../conflict/conflict.ts";
import type { CheckResult } from "../conversation/conversation.ts";
import type { MergeRequest, MergeRequestPlace } from "../merge-request/merge-request.ts";
import type { Budget } from "../spending/budget.ts";

export type WorkerRole =
  | "orchestrator"
  | "agent"
  | "integrator"
  | "validator"
  | "reviewer"
  | "archangel"
  | "fork";

/** The user works in the workspace of an agent. */
export interface Takeover {
  /** ms since 1970. */
  readonly since: number;
  /** Commit id of the work when the user took it over; their changes are shown against it. */
  readonly commit: string;
}

/** Who may work on the task of a worker. */
type WorkerControl =
  /** The worker itself. */
  | { readonly kind: "worker" }
  /** Nobody: the user paused this worker alone. */
  | { readonly kind: "paused" }
  | ({ readonly kind: "user" } & Takeover)
  /** Another worker: this one never works again. */
  | { readonly kind: "reassigned"; readonly to: string };

type WorkerConflict =
  /** It contradicts a decision, named by its change id, and has to conform to it. */
  | { readonly kind: "decision"; readonly decision: string }
  /**
   * It conflicts with other work; `cause` is null while nobody knows where that comes from. `against`: what siblings had
   * merged; `after`: the iteration in which it was finished, if it was.
   */
  | {
      readonly kind: "merge";
      readonly cause: ConflictCause | null;
      readonly against?: readonly MergedSide[];
      readonly after?: number;
    };

/** Merged work that a worker's own conflicts with; empty if it conflicts with nothing, or something else. */
export const mergedSidesOf = ({ conflict }: Pick<WorkerRecord, "conflict">): readonly MergedSide[] =>
  conflict?.kind === "merge" ? (conflict.against ?? []) : [];

/** A worker that its parent has to look at. (HYLO-14) */
export interface Stall {
  readonly kind: "stalled" | "silent";
  /** ms since 1970. */
  readonly since: number;
  /** Whether the parent has answered. */
  readonly isAnswered: boolean;
}

/** What blocks a worker until it gets help. */
export interface Blocked {
  /** By its own word or its model's refusal, or at the end of its iterations. */
  readonly kind: "blocked" | "iterations";
  /** In its own words, or the checks that failed. */
  readonly reason: string;
  /** Counts its times, so that each is helped once. */
  readonly nth: number;
}

/** Work that no meter counts: time and turns bound it. */
interface UnmeteredWork {
  /** With one that is open. */
  readonly turns: number;
  readonly ms: number;
  /** When the turn began that is open, in ms since 1970, later by the time in which it was paused; null: none is. */
  readonly openSince: number | null;
  /** Since when its agent waits for the user; null: it does not. */
  readonly pausedAt: number | null;
  /** How often the user has allowed the same again. */
  readonly extensions: number;
}

/** What a worker took in of what its siblings merged. */
export interface TrunkSync {
  /** Change id of the trunk's end when it tried. */
  readonly tip: string;
  /** Whether that is below it, or would conflict and stays parallel. */
  readonly place: MergeRequestPlace;
  /** What came in and its next prompt will say. */
  readonly updates: readonly string[];
}

/** The results of one iteration's checks. */
interface CheckRound {
  readonly iteration: number;
  readonly results: readonly CheckResult[];
}

/** The conversation of its parent that a worker begins with. (HYLO-3) */
interface InheritedContext {
  readonly from: string;
  /** Share of its first request that the provider had cached; null before its first answer. */
  readonly cachedShare: number | null;
}

/** The ports `base` to `base + count - 1`. */
export interface Ports {
  readonly base: number;
  readonly count: number;
}

/** Notes on previous owners of its task: another agent, or the user. */
export type WorkerNote =
  | {
      readonly kind: "handed-over";
      readonly from: string;
      readonly iterations: number;
      /** The previous agent's report on its work; empty if it never reported. */
      readonly summary: string;
      readonly files: readonly string[];
      readonly checks: readonly CheckResult[];
      /** Open questions of its predecessor. */
      readonly questions: readonly string[];
      /** The orchestrator that reassigned the task; omitted if the user did. */
      readonly by?: string;
      /** The user's message with the reassignment; empty if there is none. */
      readonly words: string;
    }
  | {
      readonly kind: "by-hand";
      readonly files: readonly string[];
      /** Git-format, cut to `maxDiffLength`. */
      readonly diff: string;
      readonly words: string;
    };

/**
 * The stored part of a worker; the engine keeps its current activity separately. Its task's priority is in
 * the plan only (`priorityOf`).
 */
export interface WorkerRecord {
  readonly name: string;
  readonly role: WorkerRole;
  readonly parent: string | null;
  /** Id in the plan, for agents. */
  readonly task: string | null;
  readonly changeId: string | null;
  /** Its task's as long as it has one. */
  readonly title: string;
  readonly phase: number;
  readonly folder: string | null;
  /** Identifies the folder that was set up; null: none was yet. */
  readonly setUp: string | null;
  /** Leased to the folder; null where there are none. */
  readonly ports: Ports | null;
  /** Its position among tasks of its priority; empty: at the end. */
  readonly rank: string;
  readonly status: Status;
  /** The status that its change was last seen with; what differs from it was just written there. */
  readonly lastGraphStatus: Status | null;
  readonly iteration: number;
  readonly control: WorkerControl;
  /** Who had its task before. */
  readonly replaces: string | null;
  /** Null: it begins with a fresh conversation. */
  readonly inherits: InheritedContext | null;
  /** The model of this one alone. */
  readonly model: string | null;
  /** What this one may spend, in place of what is configured; null in it is no limit. */
  readonly limits: Budget | null;
  /** How often its own budget was spent and the user was asked. */
  readonly budgetStops: number;
  /** Iterations of this one before the user is asked, instead of the run's. */
  readonly maxIterations: number | null;
  /** How often the user has granted the same number of iterations again. */
  readonly grants: number;
  /** Its work with the user's own login; null: it had none. */
  readonly unmetered: UnmeteredWork | null;
  /** Notes that are in every prompt in addition to its task. */
  readonly notes: readonly WorkerNote[];
  /** Its notes to its parent, oldest first. */
  readonly remarks: readonly string[];
  /** When each message was delivered with a prompt (ms since 1970), by its change id. */
  readonly delivered: Readonly<Record<string, number>>;
  /** Change ids of the messages that it has read and acted on. */
  readonly handled: readonly string[];
  /** The status that the user requested in the app, until the run has handled it. */
  readonly requestedStatus: { readonly status: Status; readonly nth: number } | null;
  /** How often the user did. */
  readonly statusRequests: number;
  readonly conflict: WorkerConflict | null;
  /** Siblings whose merged work its own was brought together with, by itself. */
  readonly joined: readonly string[];
  /** Of its last iteration that ran any. */
  readonly checks: readonly CheckResult[];
  /** The check results of each iteration, in order; empty if none ran. */
  readonly checkRounds: readonly CheckRound[];
  readonly summary: string;
  /** Its finished work on the way to its parent; null before the first offer. */
  readonly mergeRequest: MergeRequest | null;
  /** Iterations on end without a change of its files or checks. */
  readonly idleIterations: number;
  /** It is stalled or silent, until its next progress. */
  readonly stall: Stall | null;
  /** How many times it fell silent, so that each is reported once. */
  readonly stallCount: number;
  /** It waits for help: its parent's, then the user's. */
  readonly blocked: Blocked | null;
  /** How often it was blocked, and how often its parent has helped since the user did. */
  readonly blockCount: number;
  readonly parentAttempts: number;
  /** The trunk as far as it tried to take it in; null while nothing was merged. */
  readonly trunkSync: TrunkSync | null;
  /** The question that it waits for. */
  readonly awaitedQuestion: string | null;
}

/** The initial fields of a worker: its place in the run, and what it takes over from its predecessor. */
export type NewWorker = Pick<WorkerRecord, "name" | "role" | "parent" | "title"> & Partial<WorkerRecord>;

/** A worker of which nothing is known but what it begins with. */
export const newWorker = (worker: NewWorker): WorkerRecord => ({
  task: null,
  changeId: null,
  phase: 0,
  folder: null,
  setUp: null,
  ports: null,
  rank: "",
  status: "open",
  lastGraphStatus: null,
  iteration: 0,
  control: { kind: "worker" },
  replaces: null,
  inherits: null,
  model: null,
  limits: null,
  budgetStops: 0,
  maxIterations: null,
  grants: 0,
  unmetered: null,
  notes: [],
  remarks: [],
  delivered: {},
  handled: [],
  requestedStatus: null,
  statusRequests: 0,
  conflict: null,
  joined: [],
  checks: [],
  checkRounds: [],
  summary: "",
  mergeRequest: null,
  idleIterations: 0,
  stall: null,
  stallCount: 0,
  blocked: null,
  blockCount: 0,
  parentAttempts: 0,
  trunkSync: null,
  awaitedQuestion: null,
  ...worker,
});

/** The worker waits until the user resumes it or hands its task back. */
export const isPaused = ({ control }: Pick<WorkerRecord, "control">): boolean =>
  control.kind === "paused" || control.kind === "user";

/** Who has its task now; null while it is its own. */
export const reassignedTo = ({ control }: Pick<WorkerRecord, "control">): string | null =>
  control.kind === "reassigned" ? control.to : null;

/** Change id of the decision that its work contradicts; null where it conforms to all. */
export const contradictedDecision = ({ conflict }: Pick<WorkerRecord, "conflict">): string | null =>
  conflict?.kind === "decision" ? conflict.decision : null;
