import type { FigureComparison } from "../../domain/comparison/compare-runs.ts";

/**
 * Runs that were told a pattern beside runs of the kind of work that it is for, which were not. They had other goals as
 * well: this is no experiment.
 */
export interface PatternComparison {
  /** `<category>/<name>`. */
  readonly pattern: string;
  /** Finished runs on both sides. */
  readonly runs: { readonly with: number; readonly without: number };
  /** Those of them that reached their goal. */
  readonly complete: { readonly with: number; readonly without: number };
  readonly figures: readonly FigureComparison[];
  /** The whole in one sentence. */
  readonly summary: string;
}
