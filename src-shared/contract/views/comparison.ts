import type { FigureComparison } from "../../domain/comparison/compare-runs.ts";

/** Runs that were given a pattern beside runs that were not. They had other goals as well: this is no experiment. */
export interface PatternComparison {
  /** Its name, which is that of its file on the branch of patterns. */
  readonly pattern: string;
  /** Runs on both sides. */
  readonly runs: { readonly with: number; readonly without: number };
  readonly figures: readonly FigureComparison[];
  /** The whole in one sentence. */
  readonly summary: string;
}
