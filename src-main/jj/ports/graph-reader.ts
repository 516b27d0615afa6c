import type { FileStat } from "#shared/contract/commands/graph.ts";
import type { Notes } from "#shared/domain/change-metadata/change-note.ts";
import type { Change, GraphDelta, GraphSnapshot, Operation, Refs } from "#shared/graph/change.ts";
import type { ReadTextsOptions } from "../read/read-texts.ts";

/**
 * Reads the graph: changes, parents, names, and operations. Reads are pinned to an operation and never
 * publish one.
 */
export interface GraphReader {
  /** The one current operation id; reconciles several heads through the writing queue first. */
  currentOperation(): Promise<string>;
  /** False when a change (by its full id) surely has the description that it had at an operation. Starts no process. */
  mayBeDescribedSince(change: string, operation: string): Promise<boolean>;
  /**
   * Whether every operation after `from`, up to and including `to`, was made by this process; false if
   * unknown. Starts no process.
   */
  onlyOwnBetween(from: string, to: string): Promise<boolean>;
  /**
   * Ids of the newest operations up to and with `to`, newest first: at most `limit` of them, and none at or below `since`.
   * Starts no process; only `to` where files do not say it.
   */
  operationsUpTo(to: string, options: { limit: number; since?: string }): Promise<readonly string[]>;
  /** Reads every change of `revset` (jj's language; already translated) and all refs. `onChanges` gets the rows in batches as they come, the first batch early; the answer holds them all again. */
  readGraph(options?: {
    revset?: string;
    operation?: string;
    signal?: AbortSignal;
    onChanges?: (changes: readonly Change[], operation: string) => void;
  }): Promise<GraphSnapshot>;
  /** What changed between two operations. */
  readDelta(from: string, to: string, options?: { revset?: string }): Promise<GraphDelta>;
  /** The same of all changes between two operations that the repository came through. Mostly starts no process. */
  readPublishedDelta(from: string, to: string): Promise<GraphDelta>;
  /** Changes that `revset` names at an operation (default: the current one). */
  query(revset: string, options?: { operation?: string; limit?: number }): Promise<readonly Change[]>;
  /** Metadata of landed changes that is in Git notes. The changes that reads answer have it as well. Starts no process where nothing was added to it. */
  notes(): Promise<Notes>;
  /** Newest first. `since`: stops before this operation id. */
  operations(options?: { limit?: number; since?: string }): Promise<readonly Operation[]>;
  /** The commits of bookmarks and workspaces. Usually starts no process. */
  refs(options?: { operation?: string }): Promise<Refs>;
  /**
   * The visible change of a name (a full change id, a commit id, or another name of jj's language); null where there is
   * none.
   */
  change(revision: string, options?: { operation?: string }): Promise<Change | null>;
  /** What a name means where it may mean several: none, one, or two of the commits of a divergent change. */
  commitsNamed(name: string): Promise<readonly Change[]>;
  /** Commits by their ids, including hidden ones, in any number; garbage-collected ones are left out. */
  commitsOf(ids: readonly string[], options?: { operation?: string }): Promise<readonly Change[]>;
  /** A visible change with this line in its description, if there is one. */
  changeWithLine(line: string): Promise<Change | null>;
  /** The visible commits of changes, by their full ids; those that are gone are left out. */
  changesOf(changeIds: readonly string[], options?: { operation?: string }): Promise<readonly Change[]>;
  /** Every visible change of a run, children before their parents. */
  changesOfRun(run: string, options?: { operation?: string }): Promise<readonly Change[]>;
  /** What people labelled as a decision or a message, and that belongs to no run. One process. (HOX-2.4) */
  changesLabelledByHand(): Promise<readonly Change[]>;
  /** Those that introduce a conflict, without descendants that inherit it. */
  conflictsOfRun(run: string, options?: { operation?: string }): Promise<readonly Change[]>;
  /** A change's parents. */
  parentsOf(revision: string): Promise<readonly Change[]>;
  /** A change's descendants, without itself. */
  descendantsOf(revision: string): Promise<readonly Change[]>;
  /** The heads among some changes; missing ones are left out. */
  headsOf(revisions: readonly string[]): Promise<readonly Change[]>;
  /** Whether one change is another, or below it. */
  isAncestor(revision: string, of: string): Promise<boolean>;
  /** Those of some changes that are proper ancestors of another one; missing ones are left out. */
  ancestorsAmong(revisions: readonly string[], of: string): Promise<readonly Change[]>;
  /** Those of some changes that are another one or its descendants; missing ones are left out. */
  descendantsAmong(revisions: readonly string[], of: string): Promise<readonly Change[]>;
  /** What commits between one of `commits` and `tip` revert, by the description that `git revert` and `jj revert` write. */
  revertsSince(
    commits: readonly string[],
    tip: string,
    options: { readonly limit: number },
  ): Promise<readonly Revert[]>;
  /** Changes on the way from one end to the other, with both, of each span; a span of which an end is gone holds none. */
  changesBetween(spans: readonly ChangeSpan[]): Promise<readonly Change[]>;
  /** What a revision holds beyond another one, or altogether (null), children before their parents. */
  changesSince(from: string | null, to: string, options?: { limit?: number }): Promise<readonly Change[]>;
  /**
   * What some commits hold, themselves among it, and none of the others does; also as it was before it was rewritten. Ends
   * that are gone hold nothing.
   */
  changesBeyond(commits: readonly string[], others: readonly string[]): Promise<readonly Change[]>;
  /** Those of some commits that change a file; of a merge: beyond bringing its parents together. */
  changesWithFiles(commits: readonly string[]): Promise<readonly Change[]>;
  /** Visible changes with `Hox-Metrics`. (HOX-6.2) */
  changesWithFigures(): Promise<readonly Change[]>;
  /**
   * Decisions at or below these commits, oldest first; with more than `limit` the nearest. (HYLO-5)
   * @param commits that may be gone; none: nothing
   */
  decisionsBelow(commits: readonly string[], options: { readonly limit: number }): Promise<readonly Change[]>;
  /** The commit of a remote branch as last fetched; null if it is unknown or conflicted. */
  remoteBranch(remote: string, name: string): Promise<Change | null>;
  /**
   * A child of a commit that is mutable or has a bookmark, if there is one. Empty working copies do not
   * count.
   */
  builtOn(commit: string): Promise<Change | null>;
}

/** A commit that reverts another one. */
interface Revert {
  readonly by: string;
  /** May be abbreviated, or gone. */
  readonly reverted: string;
}

/** Two changes, one an ancestor of the other or the same. */
export interface ChangeSpan {
  readonly from: string;
  readonly to: string;
}

/** The name of the change that the files of the opened folder are. */
export const usersOwn = "@";

/** The parent of the opened folder's working copy. */
export const userBase = "@-";

/** jj's root commit, the ancestor of all others. */
export const rootCommit = "root()";

/** Reads what commits hold. */
export interface ContentReader {
  /**
   * Git-format diff of one commit against its (merged) parents, or between two commits. With `limit` reading
   * stops after that many characters: the answer is longer than the limit exactly when something was left
   * out. Names with control characters are quoted as git quotes them.
   */
  diff(options: {
    commit: string;
    from?: string;
    limit?: number;
    operation?: string;
    paths?: readonly string[];
  }): Promise<string>;
  /**
   * Git-format diffs of many commits, each against its (merged) parents, in one process. By commit id; commits that are gone
   * are left out.
   */
  diffs(commits: readonly string[], options?: { operation?: string }): Promise<ReadonlyMap<string, string>>;
  /**
   * The files of such a diff, a renamed one by its new name. Names may contain anything, even line ends, so
   * do not parse them from the text. `includesOldNames` adds old names of renamed files.
   */
  diffFiles(options: {
    commit: string;
    from?: string;
    operation?: string;
    includesOldNames?: boolean;
  }): Promise<readonly string[]>;
  /**
   * What one version of a change does that a previous version of it did not: the patch and its files. Unlike a plain
   * diff of the two it leaves out what was rewritten below them meanwhile.
   */
  interdiff(versions: { from: string; to: string }): Promise<{ diff: string; files: readonly string[] }>;
  /** Whether two commits hold the same files. Mostly costs no process. */
  hasSameFiles(commit: string, other: string): Promise<boolean>;
  /** Files that a commit changes. */
  changedFiles(commit: string, options?: { operation?: string }): Promise<readonly ChangedFile[]>;
  /** The same with changed lines and bytes for each file; a renamed one has its new name. */
  fileStats(commit: string, options?: { operation?: string }): Promise<readonly FileStat[]>;
  /** Their paths alone, which mostly costs no process. */
  changedPaths(commit: string, options?: { operation?: string }): Promise<readonly string[]>;
  /** The id of a commit's files, the same for the same files; null in conflict or if unknown. Starts no process. */
  treeOf(commit: string): Promise<string | null>;
  /** Every file of a commit. */
  listFiles(commit: string, options?: { operation?: string }): Promise<readonly string[]>;
  /** The content of one file in a commit; conflicted files come with jj's markers. */
  readFile(commit: string, path: string, options?: { operation?: string }): Promise<Uint8Array>;
  /**
   * A file in conflict with all its sides and bases, for `conflictParts`; jj describes what is not a file.
   */
  readConflict(commit: string, path: string, options?: { operation?: string }): Promise<Uint8Array>;
  /** The texts of many files of a commit, with few processes and within limits; see `read-texts.ts`. */
  readTexts(
    commit: string,
    paths: readonly string[],
    options?: ReadTextsOptions,
  ): Promise<ReadonlyMap<string, string>>;
  /** For each line of a file of a commit, the full id of the change that it comes from. One process. */
  lineOrigins(commit: string, path: string): Promise<readonly string[]>;
  /** Conflicted files of a commit. */
  conflictedFiles(commit: string, options?: { operation?: string }): Promise<readonly ConflictedFile[]>;
  /**
   * How many files and folders of a commit a partial clone has not fetched. jj fetches none of them, so nothing can be built
   * on such a commit. 0 in every other repository.
   */
  missingObjects(commit: string): Promise<number>;
  /** Files of a commit that Git LFS tracks: their content is a pointer, in workspaces too. */
  lfsFiles(commit: string): Promise<readonly string[]>;
  /**
   * Those of some paths where a commit has the content of an LFS file. Workspaces replace it by a pointer
   * when they are snapshotted, so it comes from other tools.
   */
  lfsContent(commit: string, paths: readonly string[]): Promise<readonly { readonly path: string }[]>;
}

export interface ChangedFile {
  readonly path: string;
  readonly kind: "added" | "modified" | "removed" | "renamed" | "copied";
}

export interface ConflictedFile {
  readonly path: string;
  readonly sides: number;
}
