import type { Pattern, PatternCategory, PatternFile } from "#shared/domain/patterns/pattern.ts";
import type { PatternRecordEvent, PatternRecords } from "#shared/domain/patterns/pattern-record.ts";

/**
 * Patterns that were learned from successful runs: Markdown with front matter at
 * `patterns/<category>/<name>.md` on the bookmark `hox-patterns`, a separate branch from root(), outside the
 * task graph. Anyone can write there: a pattern is active only if it is exactly as the user approved it here.
 * Created by `createPatternStore` in `pattern-store.ts`. (HOX-8, PLAN-9)
 */
export interface PatternStore {
  /** All patterns on the branch, trusted or not. */
  branch(): Promise<BranchPatterns>;
  /** Active patterns, highest confidence first. `problems` says which files are left out, and why. */
  trusted(): Promise<{ readonly patterns: readonly Pattern[]; readonly problems: readonly string[] }>;
  /** The automatic gate. Pure on its arguments, except that it reads which patterns exist already. */
  gate(proposal: PatternProposal, runs: readonly RecordedRun[]): Promise<readonly GateResult[]>;
  /**
   * The only way into force. Runs the automatic gate again and throws `PatternRefused` when one gate fails or the
   * approval is for another text. Safe to repeat: the same nonce a second time answers the same version.
   */
  approve(
    proposal: PatternProposal,
    runs: readonly RecordedRun[],
    approval: PatternApproval,
  ): Promise<{ readonly version: number; readonly path: string }>;
  /** Off the branch, and out of force. @throws PatternRefused where nothing of it was approved here */
  retire(id: string, why: string): Promise<void>;
  /** Writes a text that was approved here to the branch again. @param version null: the last active one */
  restore(id: string, version: number | null): Promise<{ readonly version: number }>;
  /** Takes in what the remote's branch holds. Nothing of it is approved by that. */
  pull(): Promise<PulledPatterns>;
}

/** A refused pattern, with what to do. */
export class PatternRefused extends Error {
  override readonly name = "PatternRefused";
  readonly remedy: string | null;
  constructor(message: string, remedy: string | null = null) {
    super(message);
    this.remedy = remedy;
  }
}

/** The current content of the branch. */
export interface BranchPatterns {
  /** Null: there is no branch. */
  readonly commit: string | null;
  readonly files: readonly {
    readonly id: string;
    readonly text: string;
    readonly pattern: PatternFile;
    /** The version that this is and that is in force; null: it is not trusted. */
    readonly version: number | null;
  }[];
  readonly problems: readonly string[];
}

export interface PulledPatterns {
  readonly remote: string;
  readonly received: readonly string[];
  readonly replaced: readonly string[];
  readonly kept: readonly string[];
}

/** What of the journal the store needs: the record of what people decided here. */
export interface PatternRecordKeeper {
  patternRecords(): PatternRecords;
  addPatternEvent(event: PatternRecordEvent): void;
}

export const patternBookmark = "hox-patterns";

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
  /** It came from another repository: its run need not be recorded here. */
  readonly isFromElsewhere?: boolean;
}

export interface GateResult {
  readonly name:
    | "format"
    | "category"
    | "matches recorded runs"
    | "no secret"
    | "no unsafe instruction"
    | "not a duplicate"
    | "validator votes";
  readonly passed: boolean;
  readonly detail: string;
}

/** An approval by the user. `shown` is `patternHash(proposal)` (pattern-text.ts) of the card's text. */
export interface PatternApproval {
  readonly nonce: string;
  readonly shown: string;
  readonly at: number;
  /** The run whose card was answered; left out: in the library. */
  readonly run?: string;
}

/** Figures of a finished run, from the journal, that a pattern's evidence is tried on. */
export interface RecordedRun {
  readonly run: string;
  readonly goal: string;
  readonly outcome: "complete" | "failed" | "stopped";
  /** What its tasks were to touch: files and globs. */
  readonly files: readonly string[];
  readonly figures: Readonly<Record<RunFigure, number>>;
  /** Commands that ran as checks of agents' work, whether they were configured or Hox found them. */
  readonly checks: { readonly fast: readonly string[]; readonly slow: readonly string[] };
  /**
   * Per agent: iterations it took, and how its work was merged: 1 at its first offer, a half at the second, a third …; 0
   * where it was not merged.
   */
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
  "checks",
  "early_align_requests",
  "late_align_requests",
  "unexplained_mutations",
  "integrations",
  "best_success_rate",
] as const;
export type RunFigure = (typeof runFigures)[number];
