import type { ConflictCause } from "../../domain/conflict/conflict.ts";
import type { CheckResult } from "../../domain/conversation/conversation.ts";
import type { Fork } from "../../domain/fork/fork-events.ts";
import type { Priority, Status } from "../../domain/graph-words/metadata.ts";
import type { Fold } from "../../domain/merge-request/fold.ts";
import type { Todo } from "../../domain/orientation/todo-events.ts";
import type { Spent } from "../../domain/spending/usage.ts";
import type { InheritedContext, WorkerRole } from "../../domain/worker/worker-record.ts";
import type { WorkerBudgetView } from "./budget.ts";

/** A conversation that another one began in the middle of its work. */
export type ForkView = Pick<
  Fork,
  "agent" | "task" | "callId" | "begunAt" | "files" | "cachedShare" | "result" | "isCancelled"
>;

/** An orchestrator, agent, integrator or validator of the run. */
export interface WorkerView {
  /** `O-A-1`, `agent-1`, `integrator`, `validator-2`. */
  readonly name: string;
  readonly role: WorkerRole;
  readonly parent: string | null;
  /** Its task in the plan of its parent. */
  readonly task: string | null;
  /** Its change (task, base or integration change), if it has one. */
  readonly changeId: string | null;
  readonly title: string;
  readonly workspace: string | null;
  /** What its workspace takes on disk, as last counted; null: not yet. */
  readonly diskBytes: number | null;
  readonly phase: number;
  readonly priority: Priority | null;
  readonly status: Status;
  /** What it does right now, in a few words: "editing src/api.ts", "waits for your answer". */
  readonly activity: string;
  /** The end of its latest text: untrusted. */
  readonly latestText: string;
  readonly state: "sleeping" | "waiting" | "thinking" | "tools" | "checking" | "paused" | "done" | "failed";
  readonly iteration: number;
  /** The user paused this one alone; it stops at its turn boundary. */
  readonly held: boolean;
  /** The user has taken its task over since then (ms since 1970). Then it is paused as well. */
  readonly byHand: { readonly since: number } | null;
  /** Its task's previous and present worker; a replaced one never works again. */
  readonly replaces: string | null;
  readonly replacedBy: string | null;
  /** The conversation that it inherited; null: a fresh one. */
  readonly inherits: InheritedContext | null;
  readonly model: string;
  readonly budget: WorkerBudgetView;
  /** `mutation`: it contradicts a decision, in conflict or not; `merge`: two pieces of work meet in its files. */
  readonly conflict: "none" | "mutation" | "merge";
  /** The cause of a merge conflict; null without one, or if it is unknown. */
  readonly conflictCause: ConflictCause | null;
  readonly checks: readonly CheckResult[];
  /** Its finished work on the way to its parent; null before it was offered once. (HYLO-6) */
  readonly fold: Fold | null;
  /** It is stalled (no change of files or checks) or silent; null if neither. (HYLO-14) */
  readonly quiet: "stalled" | "silent" | null;
  /**
   * True if its work would conflict with its siblings' merged work, and stays parallel until the integration.
   */
  readonly isDeferred: boolean;
  readonly contextTokens: number;
  readonly contextWindow: number;
  readonly spent: Spent;
  readonly toolCalls: number;
  /** A fork's data and result; null for other workers. */
  readonly fork: ForkView | null;
  /** The steps that it keeps for its task; empty where it keeps none. */
  readonly todos: readonly Todo[];
  /** Patterns that its prompts held. */
  readonly learned: readonly LearnedView[];
  /** Its place in its plan; null without a plan. */
  readonly place: WorkerPlace | null;
}

/** A pattern that a worker received. */
export interface LearnedView {
  /** `<category>/<name>`. */
  readonly id: string;
  /** The version of the approved text that it received. */
  readonly version: number;
  /** Null if it was retired during the run. */
  readonly title: string | null;
}

/** A worker's orientation as a screen has room for it; `hox orientation` has all of it. */
export interface WorkerPlace {
  /** Cut. */
  readonly goal: string;
  /** Its step of the plan from 1 on, and their number; null if it has none. */
  readonly step: number | null;
  readonly steps: number;
  /** Change ids of the decisions among its ancestors, oldest first. */
  readonly decisions: readonly string[];
}
