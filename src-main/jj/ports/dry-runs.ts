/** Computes writes without publishing them. */
export interface DryRuns {
  /** Computes a write without publishing it; the answer's operation can be read with every reading call. */
  dryRun(write: DryRun): Promise<{ operation: string }>;
  /**
   * Merges changes (by change id) without publishing anything, and answers which of them contradict each other, file by
   * file. What is in conflict already is left out. Two processes when nothing collides, three otherwise.
   */
  trialMerge(changes: readonly string[]): Promise<readonly TrialConflict[]>;
}

/** A file that a trial merge leaves in conflict. */
export interface TrialConflict {
  readonly path: string;
  /** Pairs of change ids that contradict each other there. */
  readonly pairs: readonly (readonly [string, string])[];
}

export type DryRun =
  | { readonly kind: "rebase"; readonly source: string; readonly onto: readonly string[] }
  | {
      readonly kind: "merge";
      readonly parents: readonly string[];
      /** A bookmark on the outcome. */
      readonly bookmark?: string;
    }
  | {
      readonly kind: "mutation";
      readonly base: string;
      readonly description: string;
      readonly files: Readonly<Record<string, string | Uint8Array | null>>;
    }
  /** See `GraphWriter.restore`. */
  | { readonly kind: "restore"; readonly change: string }
  /** See `GraphWriter.restoreEverything`. */
  | { readonly kind: "restore-everything"; readonly operation: string };
