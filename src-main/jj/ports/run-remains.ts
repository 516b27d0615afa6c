import type { Change } from "#shared/graph/change.ts";

/** Which runs: one, or all but the one that is going on (null: all). */
export type RunChoice = { readonly only: string } | { readonly except: string | null };

/** Finds what runs have left on the graph. What is immutable is nothing that is left. */
export interface RunRemains {
  /** Messages, which hold no file; without those that something stands on. */
  messagesOf(runs: RunChoice): Promise<readonly Change[]>;
  /**
   * What of a run is neither below the commit that landed nor below a bookmark (learned patterns have one), and nobody's
   * working copy.
   */
  unlandedOf(run: string, landed: string): Promise<readonly Change[]>;
  /** Changes with files that no branch holds but those of agents; messages and patterns are not among them. */
  workOf(runs: RunChoice): Promise<readonly Change[]>;
}
