/** Several attempts at one task, as window and terminals read them. */
import type { AttemptOrigin, ConversationTurn } from "../../domain/attempt/attempt-events.ts";
import type { CheckResult } from "../../domain/conversation/conversation.ts";
import type { Status } from "../../domain/graph-words/metadata.ts";
import type { FoldReview } from "../../domain/merge-request/fold.ts";

/** The attempts at one task, in the run's view. */
export interface AttemptGroupView {
  readonly orchestrator: string;
  readonly task: string;
  readonly title: string;
  /** The one by which the task is waited for. */
  readonly leader: string;
  /** Null before the choice. */
  readonly chosen: string | null;
  /** Whether those that were not chosen can be brought back. */
  readonly canUndo: boolean;
  readonly attempts: readonly {
    readonly worker: string;
    /** Counted from 1 in the order in which they came. */
    readonly nth: number;
    /** Where the user forked it; null: it started from the beginning. */
    readonly from: ConversationTurn | null;
    /** It was not chosen, or its change is gone. */
    readonly isOut: boolean;
  }[];
}

/** One of the attempts. */
export interface AttemptView {
  readonly worker: string;
  readonly nth: number;
  readonly origin: AttemptOrigin | null;
  readonly isOut: boolean;
  readonly model: string;
  readonly status: Status;
  /** In a few words: what it does, or what it waits for. */
  readonly activity: string;
  readonly iteration: number;
  /** Its own words about its work; empty before it was done. */
  readonly summary: string;
  /** Git-format, of its change against its parents, as last saved; cut to a limit. */
  readonly diff: string;
  readonly isDiffCut: boolean;
  readonly checks: readonly CheckResult[];
  /** Its reviews, oldest first. */
  readonly reviews: readonly FoldReview[];
  readonly microDollars: number;
  readonly tokens: number;
  /** How long it thought, saved and checked. */
  readonly ms: number;
}

/** The attempts at one task side by side. */
export interface AttemptComparison {
  readonly group: AttemptGroupView;
  readonly attempts: readonly AttemptView[];
}

/** What a fork from a turn would begin with. */
export interface ForkPreview {
  readonly worker: string;
  readonly title: string;
  readonly iteration: number;
  readonly turn: number;
  /** The model that it would have without another word. */
  readonly model: string;
  /** Which files it would find, in words. */
  readonly files: string;
  /** Null when it can be forked. */
  readonly refusal: { readonly reason: string; readonly remedy: string } | null;
}
