import type { Status } from "../../domain/graph-words/metadata.ts";
import type { TimelineBreak } from "../../domain/timeline/timeline.ts";
import type { GraphSnapshot, Operation } from "../../graph/change.ts";
import type { RunSnapshot } from "../../run/live.ts";
import type { InboxItem } from "../cards.ts";
import type { Stage } from "./stage.ts";

/** An event to jump to in a replay. */
export interface ReplayMoment {
  /** ms since 1970. */
  readonly at: number;
  /** A worker or an orchestrator; `you` for the user's decisions; null: the run. */
  readonly who: string | null;
  /** In one line, with untrusted text in it. */
  readonly text: string;
  readonly tone: "course" | "work" | "decision" | "person" | "trouble";
  /** How it is highlighted on the track of a replay; null: not at all. */
  readonly mark: ReplayMark | null;
}

/** Something was decided or asked for, votes were counted, work met in conflict. */
export type ReplayMark = "decision" | "votes" | "conflict";

/** A recorded run that is open for watching. */
export interface ReplayView {
  /** Of this opening. */
  readonly id: string;
  readonly run: string;
  readonly goal: string;
  /** Its root orchestrator. */
  readonly root: string;
  /** When the run was started, in ms since 1970. */
  readonly startedAt: number;
  readonly model: string;
  readonly rehearsal: string | null;
  /** Its stage at its end, or when it was recorded. */
  readonly stage: Stage;
  /** Name of the file that it was read from; null: this repository's own journal. */
  readonly file: string | null;
  /** When it began and when the last of it happened, in ms since 1970. */
  readonly from: number;
  readonly to: number;
  readonly moments: readonly ReplayMoment[];
  /** Recorded periods without work, oldest first. */
  readonly breaks: readonly TimelineBreak[];
  /** Number of events in each of equal parts of its displayed time. */
  readonly density: readonly number[];
}

/** The run at a moment, beside its events: `replay.events` sends those once. */
export interface ReplayFrame extends Pick<RunSnapshot, "count" | "live" | "spendingHistory"> {
  /** ms since 1970. */
  readonly at: number;
  readonly inbox: readonly InboxItem[];
  /** The operation whose graph belongs to it; null: jj has none of that time any more, and the recording none either. */
  readonly operation: string | null;
  /** Its graph, the first time that this replay shows it; a client that lost it requests it separately. */
  readonly graph: GraphSnapshot | null;
}

/** What jj did in the time of a run. */
export interface RunOperations {
  /** The first first. */
  readonly operations: readonly Operation[];
  /** Commit id, as their descriptions name it → title of the commit. */
  readonly titles: Readonly<Record<string, string>>;
}

/** What changed from one moment of a run to another. */
export interface MomentDifference {
  readonly from: number;
  readonly to: number;
  readonly changes: readonly {
    readonly changeId: string;
    readonly title: string;
    /** `moved`: it has other parents; its files may differ as well. */
    readonly how: "new" | "gone" | "edited" | "described" | "moved";
    /** Commit ids; null: it was not there. */
    readonly from: string | null;
    readonly to: string | null;
  }[];
  readonly workers: readonly {
    readonly name: string;
    readonly title: string;
    /** Null: it was not there. */
    readonly before: Status | null;
    readonly after: Status;
    /** How many more. */
    readonly iterations: number;
  }[];
  /** Null if their content is gone. */
  readonly files: readonly { readonly path: string; readonly titles: readonly string[] }[] | null;
}
