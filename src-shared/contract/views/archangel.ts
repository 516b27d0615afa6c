import type { ArchangelWake, CommentRelation, Delivery } from "../../domain/archangel/archangel.ts";
import type { Priority } from "../../domain/graph-words/metadata.ts";
import type { Spent } from "../../domain/spending/usage.ts";

/** A reviewer in the background: one that the file names, or that comes with Hox. */
export interface ArchangelView {
  readonly name: string;
  /** Under this name it stands among the workers, once it has worked. */
  readonly worker: string;
  readonly isOn: boolean;
  /** In words; of a file: what it says, or why it cannot be read. */
  readonly purpose: string;
  /** Empty: every file. */
  readonly paths: readonly string[];
  readonly wakes: readonly ArchangelWake[];
  readonly model: string;
  /** What it may spend in one run; null: no limit of its own. */
  readonly microDollars: number | null;
  readonly tokens: number | null;
  readonly spent: Spent;
  /** `spent`: its budget is, and it wakes no more before a person raises it. */
  readonly state: "off" | "sleeping" | "thinking" | "spent";
  readonly delivery: Delivery;
}

/** What an archangel says of a line, or of a change as a whole. It blocks nothing and counts as no vote. */
export interface CommentView {
  readonly id: string;
  readonly archangel: string;
  /** Whose work it is about; null for work outside Hox. */
  readonly worker: string | null;
  readonly changeId: string | null;
  /** As it was seen. */
  readonly commit: string | null;
  /** Null: the change as a whole. */
  readonly path: string | null;
  /** From 1 on, where the line stands now; null where it is gone or there is none. */
  readonly line: number | null;
  /** The line in its own words, by which it is found again. */
  readonly lineText: string | null;
  readonly text: string;
  readonly relation: CommentRelation;
  /** Id or title of the plan's step that it is about. */
  readonly step: string | null;
  readonly at: number;
  readonly isResolved: boolean;
  /** The line is gone. */
  readonly isOutdated: boolean;
  /** The agent that was told; null: nobody was. */
  readonly sentTo: string | null;
  readonly replies: readonly CommentReply[];
}

export interface CommentReply {
  /** `you`, or the archangel's name. */
  readonly by: string;
  readonly text: string;
  readonly at: number;
}

/** What an archangel thinks should be done: inert until somebody takes it. (AX-11) */
export interface SuggestionView {
  readonly id: string;
  /** Who suggests it: the name of the archangel. */
  readonly agent: string;
  /** The worker, or the session outside Hox, whose work led to it. */
  readonly session: string | null;
  readonly suggestion: string;
  readonly context: string;
  readonly priority: Priority;
  readonly files: readonly string[];
  readonly at: number;
  readonly state: "open" | "task" | "message" | "idea" | "refused";
}

/** A goal for later, kept for the repository and not in it. */
export interface IdeaView {
  readonly id: string;
  readonly text: string;
  readonly context: string;
  readonly files: readonly string[];
  /** The archangel that had it; null: a person. */
  readonly from: string | null;
  readonly at: number;
  /** The run that began from it last; null: none did. */
  readonly run: string | null;
}
