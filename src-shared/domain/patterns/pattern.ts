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

/** Line by line, what changed from one short text to another. */
export interface DiffedLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

/** By the longest lines in common; meant for files of a few hundred lines. */
export function lineDiff(from: string, to: string): readonly DiffedLine[] {
  const [old, now] = [from.split("\n"), to.split("\n")];
  // common[i][j]: how many lines are in common from i and j on.
  const common = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--) {
      const row = common[i];
      if (row) row[j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const lines: DiffedLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [was, is] = [old[i], now[j]];
    if (was !== undefined && was === is) {
      lines.push({ kind: "same", text: was });
      i++;
      j++;
    } else if (was !== undefined && (is === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: "removed", text: was });
      i++;
    } else {
      lines.push({ kind: "added", text: is ?? "" });
      j++;
    }
  }
  return lines;
}
