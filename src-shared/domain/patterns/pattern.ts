import type { PatternContexts, TaskType } from "./pattern-context.ts";
import type { PatternCategory } from "./pattern-words.ts";

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

/** One that is in force. */
export interface Pattern extends PatternFile {
  /** The version that was approved here. */
  readonly version: number;
}
