/** Messages between a measured host and its parent, over Node's channel between two processes. */
import type { InboxItem } from "../../src-shared/contract/cards.ts";
import type { RunView } from "../../src-shared/contract/views/run.ts";

export type Asked =
  | ({ readonly kind: "start" } & StartedRun)
  /** A command of a user about a run; refusals are notices. */
  | {
      readonly kind: "steer";
      readonly command: SteerCommand;
      readonly input: Readonly<Record<string, unknown>>;
    }
  /** Answered with `measures`, counted since the last time. */
  | { readonly kind: "measure" }
  | { readonly kind: "close" };

export type SteerCommand =
  | "run.pause"
  | "run.resume"
  | "run.pauseWorker"
  | "run.resumeWorker"
  | "run.messageWorker";

export type HostMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "refused"; readonly error: string }
  | { readonly kind: "run"; readonly run: RunSeen }
  | { readonly kind: "notice"; readonly level: string; readonly text: string }
  /** A card that no user who agrees to everything can answer, such as trouble. */
  | { readonly kind: "card"; readonly card: InboxItem }
  | { readonly kind: "tool"; readonly tool: ToolSeen }
  | { readonly kind: "measures"; readonly measures: Measures };

export interface StartedRun {
  readonly goal: string;
  readonly maxTokens?: number | null;
  /** One agent without a plan. */
  readonly quick?: boolean;
  readonly model?: string;
  /** Label of the workers on which agents work. Default: on the host. */
  readonly on?: string;
}

/** A tool that a worker has used. */
export interface ToolSeen {
  readonly worker: string;
  readonly tool: string;
  /** Of file tools. */
  readonly path: string | null;
  readonly hasFailed: boolean;
  /** ms since 1970, of the result. */
  readonly at: number;
}

/** What is asked of a run; the whole view with its conversations would be most of the work that is measured. */
export interface RunSeen {
  readonly id: string;
  readonly stage: RunView["stage"];
  readonly phase: number;
  readonly paused: RunView["paused"];
  readonly failure: RunView["failure"];
  readonly workers: readonly {
    readonly name: string;
    readonly role: string;
    readonly state: string;
    readonly activity: string;
    readonly status: string;
    readonly iteration: number;
    readonly workspace: string | null;
    readonly title: string;
  }[];
  readonly tokens: number;
  readonly microDollars: number;
  readonly radar: RunView["radar"];
  /** Milliseconds of all agents together, by what they were spent on. */
  readonly ms: Readonly<Record<string, number>>;
}

export interface Measures {
  /** Bytes: now and at most so far; the heap after a collection. */
  readonly rss: number;
  readonly peak: number;
  readonly heap: number;
  /** Of Node: timers, sockets, child processes. */
  readonly handles: number;
  /** Open descriptors of the process; null where the system does not list them. */
  readonly descriptors: number | null;
  /** Milliseconds by which the event loop came late. */
  readonly delay: { readonly p50: number; readonly p99: number; readonly max: number };
  /** Milliseconds of processor time of the host alone. */
  readonly cpu: number;
  /** jj processes started so far. */
  readonly jj: number;
}

export const isOver = (run: RunSeen): boolean => ["complete", "failed", "stopped"].includes(run.stage);
