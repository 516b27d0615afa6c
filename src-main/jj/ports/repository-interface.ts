import type { Change } from "#shared/graph/change.ts";
import type { GitInterop } from "./git-interop.ts";
import type { ContentReader, GraphReader } from "./graph-reader.ts";
import type { GraphWriter } from "./graph-writer.ts";
import type { WorkingCopies } from "./working-copies.ts";

/**
 * The door to one jj repository. Everything else in the host talks to jj through this interface and nothing
 * else starts jj. Reads are pinned to an operation and never publish one; writes go through one queue.
 *
 * Every failure is a `JjError` (see `errors.ts`): it carries the arguments, the exit code, jj's own words and
 * a remedy.
 */
export interface Repository
  extends GraphReader,
    RunRemains,
    ContentReader,
    GraphWriter,
    GitInterop,
    WorkingCopies,
    DryRuns,
    Watcher {
  /** Absolute path of the workspace that the user opened. */
  readonly root: string;
  readonly name: string;
  close(): Promise<void>;
}

/** Computes writes without publishing them. */
interface DryRuns {
  /** Computes a write without publishing it; the answer's operation can be read with every reading call. */
  dryRun(write: DryRun): Promise<{ operation: string }>;
  /**
   * Merges changes (by change id) without publishing anything, and answers which of them contradict each other, file by
   * file: the changes whose own edits do, also when others are on top of them. What is in conflict already is left out.
   * One process when nothing collides, three otherwise, and a fourth where several changes on top of each other edit such a file.
   */
  trialMerge(changes: readonly string[]): Promise<readonly TrialConflict[]>;
}

/** A file that a trial merge leaves in conflict. */
export interface TrialConflict {
  readonly path: string;
  /** Pairs of change ids that contradict each other there. */
  readonly pairs: readonly (readonly [string, string])[];
  /** The same by their places; none where the file as a whole is in conflict, such as one that is deleted. */
  readonly places: readonly TrialPlace[];
}

/** Lines of a file (1-based, as the merge has it with what was there before in each conflict), and who meets there. */
export interface TrialPlace {
  readonly from: number;
  readonly to: number;
  readonly pairs: readonly (readonly [string, string])[];
}

export type DryRun =
  | { readonly kind: "rebase"; readonly source: string; readonly onto: readonly string[] }
  | {
      readonly kind: "merge";
      readonly parents: readonly string[];
      /** A bookmark on the outcome. */
      readonly bookmark?: string;
    }
  | {
      readonly kind: "mutation";
      readonly base: string;
      readonly description: string;
      readonly files: Readonly<Record<string, string | Uint8Array | null>>;
    }
  /** See `GraphWriter.restore`. */
  | { readonly kind: "restore"; readonly change: string }
  /** See `GraphWriter.restoreEverything`. */
  | { readonly kind: "restore-everything"; readonly operation: string };

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

/** Reports events of a repository, and when this process has finished its writes. */
export interface Watcher {
  /**
   * Calls back with every new published operation id (bursts coalesced), first with the current one, so that
   * nothing after a read is missed. The returned function stops watching.
   */
  watch(onOperation: (operation: string) => void, onError: (error: Error) => void): () => void;
  /** Calls back when Git may have moved a branch, a tag or HEAD. The returned function stops watching. */
  watchGit(onChange: () => void, onError: (error: Error) => void): () => void;
  /** Resolves when every write queued so far is done. */
  idle(): Promise<void>;
  /** How many jj processes this repository has started, for the benchmarks. */
  processCount(): number;
  /** The same by command (`log`, `workspace add`), most first. */
  processesByCommand(): Readonly<Record<string, number>>;
}
