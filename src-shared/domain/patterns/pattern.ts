import type { PatternContexts, TaskType } from "./pattern-context.ts";

/** A file of the branch, read. */
export interface PatternFile {
  /** `<category>/<name>`. */
  readonly id: string;
  readonly name: string;
  readonly category: PatternCategory;
  readonly confidence: number;
  /** First heading, or the name. */
  readonly title: string;
  /** Without front matter. */
  readonly body: string;
  readonly path: string;
  /** The run that it says it was learned from; null where it says none. */
  readonly run: string | null;
  readonly evidence: string | null;
  /** What it is for; empty lists: for any work. */
  readonly taskTypes: readonly TaskType[];
  readonly contexts: PatternContexts;
}

export const patternCategories = ["decomposition", "communication", "validation", "integration"] as const;
/** The parts of a pattern's path and origin. */
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

/** One that is in force. */
export interface Pattern extends PatternFile {
  /** The version that was approved here. */
  readonly version: number;
}
