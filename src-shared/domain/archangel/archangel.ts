/** Reviewers in the background: what they are, when they wake, and what they say. (design section 11) */

import type { Priority } from "../change-metadata/metadata.ts";
import type { Spent } from "../spending/usage.ts";

/** What may wake an archangel; everything else lets it sleep. */
export const archangelWakes = [
  /** An agent's iteration was saved, and changed files that it watches. */
  "iteration_saved",
  /** An agent offered its work as finished. */
  "merge_requested",
  /** A plan was approved, or is another one. */
  "plan_changed",
  /** A decision binds all below its orchestrator. */
  "decision_applied",
  /** A phase of the plan ended. */
  "phase_end",
  /** Nothing has been saved for a while, and something that it watches is new to it. */
  "idle",
  /** An agent outside Hox that works in this repository ended a turn. */
  "session_turn",
] as const;
export type ArchangelWake = (typeof archangelWakes)[number];

/** How the subject of a comment relates to the plan. (AX-6) */
export const commentRelations = ["off_plan", "completes_step", "missing_step", "risk"] as const;
export type CommentRelation = (typeof commentRelations)[number];

/** Who reads an archangel's comments: only the user, or the orchestrator of the agent too. */
export const commentReaders = ["user", "orchestrator"] as const;
type CommentReader = (typeof commentReaders)[number];

/** Whether comments wait for the user to send them, or go to the agent at once. */
export const commentDeliveries = ["user", "agent"] as const;
type CommentDelivery = (typeof commentDeliveries)[number];

/** An archangel as it is set up: what the file says of it, and the rest as Hox brings it. */
export interface Archangel {
  readonly name: string;
  readonly isOn: boolean;
  /** In words, or the file of the repository or of Hox that has them. */
  readonly purpose:
    | { readonly kind: "text"; readonly text: string }
    | { readonly kind: "file"; readonly path: string }
    | { readonly kind: "prompt"; readonly name: string };
  /** Paths and globs that it looks at; none: every file. */
  readonly paths: readonly string[];
  readonly wakes: readonly ArchangelWake[];
  /** Null: the model of reviewers. */
  readonly model: string | null;
  readonly microDollars: number | null;
  readonly tokens: number | null;
  readonly comments: CommentReader;
  readonly deliver: CommentDelivery;
}

/** The five facts about what an archangel has received, as far as its model has answered. (AX-10) */
export interface Delivery {
  readonly initialized: boolean;
  /** Null: not received yet. */
  readonly planHash: string | null;
  readonly todosHash: string | null;
  /** How many of the run's events it has received. */
  readonly parentContextOffset: number;
  /** ms since 1970. */
  readonly lastAnalysisAt: number | null;
}

export const nothingDelivered: Delivery = {
  initialized: false,
  planHash: null,
  todosHash: null,
  parentContextOffset: 0,
  lastAnalysisAt: null,
};

/** A task that an archangel suggests. (AX-11) */
export interface Suggestion {
  readonly suggestion: string;
  readonly context: string;
  readonly priority: Priority;
  readonly files: readonly string[];
}

/** What a purpose says before it goes into detail: its first two paragraphs, on one line. */
export const purposeInShort = (purpose: string): string =>
  purpose
    .split(/\n\s*\n/u, 2)
    .join(" ")
    .replaceAll(/\s+/gu, " ")
    .trim();

/** The worker that speaks for an archangel in a run. */
export const archangelWorker = (name: string): string => `archangel-${name}`;

/** The archangel that a worker speaks for; null for every other worker. */
export const archangelOf = (worker: string): string | null =>
  worker.startsWith("archangel-") ? worker.slice("archangel-".length) : null;

/** The goal of a run whose archangels only review sessions. */
export const watchGoal = "Review my own agents' sessions";

/** A reviewer in the background: one that the file names, or that comes with Hox. */
export interface ArchangelView {
  readonly name: string;
  /** Its name among the workers, once it has worked. */
  readonly worker: string;
  readonly isOn: boolean;
  /** In words; of a file: what it says, or why it cannot be read. */
  readonly purpose: string;
  /** Empty: every file. */
  readonly paths: readonly string[];
  readonly wakes: readonly ArchangelWake[];
  readonly model: string;
  /** Its budget in one run; null: no separate limit. */
  readonly microDollars: number | null;
  readonly tokens: number | null;
  readonly spent: Spent;
  /** `spent`: its budget is used up, and it does not wake until the user raises it. */
  readonly state: "off" | "sleeping" | "thinking" | "spent";
  readonly delivery: Delivery;
}

/** What a watch may spend today. */
export interface WatchBudgetView {
  readonly microDollars: number;
  readonly limit: number;
  readonly isSpent: boolean;
}

/** What an archangel that comes with Hox watches, and when it wakes, where the file says nothing else. */
export interface ArchangelPreset {
  readonly paths: readonly string[];
  readonly wakes: readonly ArchangelWake[];
}

/** Each with its purpose in `resources/prompts/archangel-<name>.md`. Off until the file switches one on. */
export const archangelPresets: Readonly<Record<string, ArchangelPreset>> = {
  "plan-keeper": {
    paths: [],
    wakes: ["iteration_saved", "plan_changed", "decision_applied", "phase_end", "session_turn"],
  },
  security: { paths: [], wakes: ["iteration_saved", "merge_requested", "session_turn"] },
  tests: { paths: [], wakes: ["merge_requested", "phase_end", "session_turn"] },
  simplicity: { paths: [], wakes: ["merge_requested", "idle", "session_turn"] },
};

/** When one wakes that Hox does not bring and whose table says nothing of it. */
export const defaultWakes: readonly ArchangelWake[] = ["iteration_saved", "merge_requested"];

/**
 * The goal of a run that starts from an idea: the idea with its context.
 *
 * @param idea its text, and its context, which may be empty
 */
export const goalOfIdea = ({ text, context }: { readonly text: string; readonly context: string }): string =>
  context === "" ? text : `${text}\n\n${context}`;
