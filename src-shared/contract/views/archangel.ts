import type { ArchangelWake, Delivery } from "../../domain/archangel/archangel.ts";
import type { CommentRecord, SuggestionRecord } from "../../domain/archangel/archangel-records.ts";
import type { Spent } from "../../domain/spending/usage.ts";

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

/** What an archangel says of a line, or of a change as a whole. It blocks nothing and counts as no vote. */
export type CommentView = Omit<CommentRecord, "seenReplies" | "placedIn">;

/** A suggestion of an archangel: has no effect until it is accepted. (AX-11) */
export type SuggestionView = SuggestionRecord;

/** A goal for later, kept for the repository and not in it. */
export interface IdeaView {
  readonly id: string;
  readonly text: string;
  readonly context: string;
  readonly files: readonly string[];
  /** The archangel that suggested it; null: the user. */
  readonly from: string | null;
  readonly at: number;
  /** The run that began from it last; null: none did. */
  readonly run: string | null;
}
