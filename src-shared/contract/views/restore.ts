import type { RestoredBookmark, RestoredChange } from "../../graph/restored-graph.ts";

/** What taking the whole repository back to a moment would do. (design 12) */
export interface RestorePreview {
  /** It is afterwards as this operation left it. */
  readonly moment: {
    readonly operation: string;
    readonly at: number;
    readonly actor: string;
    readonly description: string;
  };
  /** The operation of the preview: later requests are valid for this one only. */
  readonly head: string;
  /** Number of operations that are undone. */
  readonly operationCount: number;
  /** Those among them that came from a terminal and not from Hox, the newest first. */
  readonly fromTerminals: readonly {
    readonly id: string;
    readonly time: number;
    readonly description: string;
  }[];
  readonly changes: readonly RestoredChange[];
  /** Number of further changes that are only rebased. */
  readonly rebased: number;
  readonly bookmarks: readonly RestoredBookmark[];
  /** Whose work is among it, by the changes' own lines, with how many changes. */
  readonly agents: readonly { readonly name: string; readonly changes: number }[];
  /** Files of the opened folder that become others; null where Git holds them, so that they stay. */
  readonly ownFiles: readonly string[] | null;
  readonly runs: readonly RestoredRun[];
  /** Why it cannot be done now, and what to do; null when it can. `running`: runs that have to be paused first. */
  readonly refusal: {
    readonly kind: "running" | "nothing";
    readonly reason: string;
    readonly remedy: string;
  } | null;
}

/** What becomes of a run's record. */
export interface RestoredRun {
  readonly id: string;
  readonly root: string;
  readonly goal: string;
  /** `ends`: active, and its work is undone; `stays`: active and not affected; `over`: it had ended. */
  readonly becomes: "ends" | "stays" | "over";
  /** What of its record does not hold any more, in words. */
  readonly loses: readonly string[];
}

export interface Restored {
  /** Undone, everything is as before it. */
  readonly operation: string;
  /** Ids of the runs that ended by it. */
  readonly ended: readonly string[];
}
