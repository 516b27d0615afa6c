import type { Change } from "#shared/graph/change.ts";

/** Which runs: one, or all but the active one (null: all). */
export type RunChoice = { readonly only: string } | { readonly except: string | null };

/** Finds what runs have left on the graph. What is immutable is nothing that is left. */
export interface RunRemains {
  /** Messages, which have no files; without those that have descendants. */
  messagesOf(runs: RunChoice): Promise<readonly Change[]>;
  /**
   * A run's changes that are neither ancestors of the landed commit nor of a bookmark (learned patterns have
   * one), and not a working copy.
   */
  unlandedOf(run: string, landed: string): Promise<readonly Change[]>;
  /** Changes with files that no branch holds but those of agents; messages and patterns are not among them. */
  workOf(runs: RunChoice): Promise<readonly Change[]>;
}
