/** The parts of a pattern's path and origin. */

export const patternCategories = ["decomposition", "communication", "validation", "integration"] as const;
export type PatternCategory = (typeof patternCategories)[number];

/** What figures alone can teach, by the names of such patterns. */
export const figureKinds = [
  "fast-convergence",
  "effective-agent",
  "types-first",
  "integration-phase",
  "early-alignment",
  "mutation-rationale",
] as const;
export type FigureKind = (typeof figureKinds)[number];

/** How a pattern was found: by a run's figures, by its orchestrator, or elsewhere. */
export type PatternKind = FigureKind | "proposed";

/** A pattern with such a name was found by figures; any other was proposed. */
export const kindOfPattern = (name: string): PatternKind =>
  figureKinds.find((kind) => kind === name) ?? "proposed";
