/**
 * What was learned from successful runs. Patterns are Markdown with front matter at `patterns/<category>/<name>.md` on
 * the bookmark `hox-patterns`, a branch of its own from root(), outside the task graph. Made by
 * `createPatternStore(repository)` in `pattern-store.ts`. (HOX-8, PLAN-9)
 */
export interface PatternStore {
  /** Approved patterns, best confidence first. A file that does not parse is reported in `problems` and left out. */
  load(): Promise<{ readonly patterns: readonly Pattern[]; readonly problems: readonly string[] }>;
  /** The automatic gate. Pure on its arguments, except that it reads which patterns exist already. */
  gate(proposal: PatternProposal, runs: readonly RecordedRun[]): Promise<readonly GateResult[]>;
  /**
   * The only way onto the branch. Runs the automatic gate again and throws `PatternRefused` when one gate fails or the
   * approval is for another text. Safe to repeat: the same nonce a second time answers the same commit.
   */
  approve(
    proposal: PatternProposal,
    runs: readonly RecordedRun[],
    approval: PatternApproval,
  ): Promise<{ readonly changeId: string; readonly commitId: string; readonly path: string }>;
}

export const patternBookmark = "hox-patterns";

export const patternCategories = ["decomposition", "communication", "validation", "integration"] as const;
export type PatternCategory = (typeof patternCategories)[number];

export interface PatternProposal {
  /** Lower case words with hyphens; the file name. */
  readonly name: string;
  readonly category: PatternCategory;
  /** 0 to 1. */
  readonly confidence: number;
  /** The run that it was learned from. */
  readonly run: string;
  /** As the model wrote it, with or without front matter; untrusted. */
  readonly markdown: string;
}

export interface Pattern {
  readonly name: string;
  readonly category: PatternCategory;
  readonly confidence: number;
  /** First heading, or the name. */
  readonly title: string;
  /** Without front matter. */
  readonly body: string;
  readonly path: string;
}

export interface GateResult {
  readonly name:
    | "well-formed"
    | "category"
    | "tried on recorded runs"
    | "no secret"
    | "no instruction to break a rule"
    | "new";
  readonly passed: boolean;
  readonly detail: string;
}

/** A person's click. `shown` is `patternHash(proposal)` (pattern-text.ts) of what stood on the card. */
export interface PatternApproval {
  readonly nonce: string;
  readonly shown: string;
  readonly at: number;
}

/** Figures of a finished run, from the journal, that a pattern's evidence is tried on. */
export interface RecordedRun {
  readonly run: string;
  readonly goal: string;
  readonly outcome: "complete" | "failed" | "stopped";
  readonly figures: Readonly<Record<RunFigure, number>>;
  /** Per agent: iterations it took and share of its tool calls that did not fail (0 to 1). */
  readonly agents: readonly {
    readonly worker: string;
    readonly title: string;
    readonly iterations: number;
    readonly successRate: number;
  }[];
}

/** The names that a pattern's `evidence` line may use, as in `evidence: agents = 3, mutation_conflicts <= 1`. */
export const runFigures = [
  "agents",
  "phases",
  "contract_files",
  "iterations",
  "align_requests",
  "mutations",
  "mutation_conflicts",
  "merge_conflicts",
  "approvals",
  "seats",
  "attempts",
  "failed_checks",
  "score",
] as const;
export type RunFigure = (typeof runFigures)[number];
