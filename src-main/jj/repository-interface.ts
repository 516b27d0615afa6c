import type { PushPreview } from "#shared/contract/push.ts";
import type { MetadataPatch } from "#shared/domain/graph-words/metadata.ts";
import type { Change, GraphDelta, GraphSnapshot, Operation } from "#shared/graph/change.ts";
import type { JjError } from "./errors.ts";
import type { ReadTextsOptions } from "./read-texts.ts";

/**
 * The door to one jj repository. Everything else in the host talks to jj through this interface and nothing
 * else starts jj. Reads are pinned to an operation and never publish one; writes go through one queue.
 *
 * Every failure is a `JjError` (see `errors.ts`): it carries the arguments, the exit code, jj's own words and
 * a remedy.
 */
export interface Repository {
  /** Absolute path of the workspace that a person opened. */
  readonly root: string;
  readonly name: string;

  // ---- reading -------------------------------------------------------------------------------------------
  /** The one current operation id; reconciles several heads through the writing queue first. */
  currentOperation(): Promise<string>;
  /** False when a change (by its full id) surely has the description that it had at an operation. Starts no process. */
  mayBeDescribedSince(change: string, operation: string): Promise<boolean>;
  /** Whether every operation after `from`, up to and with `to`, was made by this process; false where that cannot be said. Starts no process. */
  onlyOwnBetween(from: string, to: string): Promise<boolean>;
  /** Reads every change of `revset` (jj's language; already translated) and all refs. `onChanges` gets the rows in batches as they come, the first batch early; the answer holds them all again. */
  readGraph(options?: {
    revset?: string;
    operation?: string;
    signal?: AbortSignal;
    onChanges?: (changes: readonly Change[], operation: string) => void;
  }): Promise<GraphSnapshot>;
  /** What changed between two operations. */
  readDelta(from: string, to: string, options?: { revset?: string }): Promise<GraphDelta>;
  /** Changes that `revset` names at an operation (default: the current one). */
  query(revset: string, options?: { operation?: string; limit?: number }): Promise<readonly Change[]>;
  /** Newest first. `since`: stops before this operation id. */
  operations(options?: { limit?: number; since?: string }): Promise<readonly Operation[]>;
  /**
   * Git-format diff of one commit against its (merged) parents, or between two commits. With `limit` no more is read once
   * more than so many characters came: the answer is longer than the limit exactly when something was left out. Names with
   * control characters are quoted as git quotes them.
   */
  diff(options: {
    commit: string;
    from?: string;
    limit?: number;
    operation?: string;
    paths?: readonly string[];
  }): Promise<string>;
  /**
   * The files of such a diff, the new name where one was renamed. Names may hold anything, line ends among it, so nobody
   * counts files in a text.
   */
  diffFiles(options: { commit: string; from?: string; operation?: string }): Promise<readonly string[]>;
  /**
   * What one version of a change does that an earlier version of it did not: the patch and its files. Unlike a plain
   * diff of the two it leaves out what was rewritten below them meanwhile.
   */
  interdiff(versions: { from: string; to: string }): Promise<{ diff: string; files: readonly string[] }>;
  /** Files that a commit changes. */
  changedFiles(commit: string, options?: { operation?: string }): Promise<readonly ChangedFile[]>;
  /** Every file of a commit. */
  listFiles(commit: string, options?: { operation?: string }): Promise<readonly string[]>;
  /** The content of one file in a commit; conflicted files come with jj's markers. */
  readFile(commit: string, path: string, options?: { operation?: string }): Promise<Uint8Array>;
  /** The texts of many files of a commit, with few processes and within limits; see `read-texts.ts`. */
  readTexts(
    commit: string,
    paths: readonly string[],
    options?: ReadTextsOptions,
  ): Promise<ReadonlyMap<string, string>>;
  /** Conflicted files of a commit. */
  conflictedFiles(commit: string, options?: { operation?: string }): Promise<readonly ConflictedFile[]>;

  // ---- writing (all queued; each answers with the operation that it made) ----------------------------------
  /** New change on `parents` without touching any working copy. */
  newChange(options: NewChange): Promise<Written & { changeId: string; commitId: string }>;
  /**
   * Inserts a new empty change after `base`, below everything that descends from it (`jj new --no-edit -A`). With `files` it
   * arrives with its content in one published step.
   */
  insertAfter(
    base: string,
    options: { description: string; files?: NewChange["files"] } & WriteOptions,
  ): Promise<Written & { changeId: string; commitId: string }>;
  /** Replaces a description; with `since` see `DescribeOptions`, and `described` says whether it did. */
  describe(
    change: string,
    description: string,
    options?: DescribeOptions,
  ): Promise<Written & { described: boolean }>;
  /** Patches Hox trailers and keeps the rest of the description as it is. Patches to several changes are one operation where jj allows it. */
  setMetadata(
    changes: readonly { change: string; patch: MetadataPatch }[],
    options?: WriteOptions,
  ): Promise<Written>;
  /** Moves changes (with descendants for `source`, alone for `revisions`) onto destinations. */
  rebase(
    options: {
      revisions?: string;
      source?: string;
      onto?: readonly string[];
      insertAfter?: readonly string[];
      insertBefore?: readonly string[];
    } & WriteOptions,
  ): Promise<Written>;
  squash(options: { from: string; into: string; description?: string } & WriteOptions): Promise<Written>;
  /** Takes a change's content back to what it inherits (its merged parents); it and its description stay. */
  restore(change: string, options?: WriteOptions): Promise<Written>;
  abandon(revset: string, options?: WriteOptions): Promise<Written>;
  setBookmark(
    name: string,
    to: string,
    options?: WriteOptions & { allowBackwards?: boolean },
  ): Promise<Written>;
  /** One, or several at once. */
  deleteBookmark(name: string | readonly string[], options?: WriteOptions): Promise<Written>;
  /** What a push of this bookmark would do. Asks no server: it is as the remote was last fetched. */
  previewPush(bookmark: string): Promise<PushPreview>;
  /** Pushes it, if that still does exactly `moves` of the preview. */
  push(bookmark: string, moves: readonly string[], options?: WriteOptions): Promise<Written>;
  /** Undoes one operation and keeps the later ones (`jj op revert`). */
  revertOperation(operation: string, options?: WriteOptions): Promise<Written>;
  /**
   * Repairs divergence of all mutable changes, or of those in `revset`; answers the change ids that stay divergent.
   * `crossed`: only what Hox wrote on one side, or what it keeps (a change with trailers of ours). What a person has
   * had twice for reasons of their own is none of our business then.
   */
  converge(
    options?: WriteOptions & { revset?: string; crossed?: boolean },
  ): Promise<Written & { remaining: readonly string[] }>;

  // ---- Git beside jj -------------------------------------------------------------------------------------
  /**
   * Takes over what Git did to branches, tags and remotes since jj last looked. No file, index or HEAD is touched.
   * `keepsUnreachable`: commits that no branch holds any more stay, because work may stand on them. Left out: where there
   * is work of a run.
   */
  importGit(
    options?: WriteOptions & { readonly keepsUnreachable?: boolean },
  ): Promise<Written & { changed: boolean }>;
  /**
   * Local branches by name, with the commits that they point at. Where Git holds the folder they are Git's: jj moves a
   * bookmark along when its remote moves, and Git's branch stays until somebody pulls.
   */
  branches(): Promise<Readonly<Record<string, readonly string[]>>>;
  /** Takes branches away, from jj and from Git. Those that are in neither are no mistake. */
  removeBranches(names: readonly string[], options?: WriteOptions): Promise<void>;
  /** Where Git stands in the opened folder; null where it does not work there. */
  gitStand(): Promise<GitStand | null>;
  /** Why a branch cannot move so now, in words for a person; null when it can. Changes nothing. */
  refusalToMove(move: BranchMove): Promise<JjError | null>;
  /**
   * Moves a branch, makes it (`from` null) or takes it away (`to` null). Where a person stands on it with Git, their
   * folder comes along as with `git merge --ff-only`: HEAD stays on the branch, edits and what is staged stay as they are.
   * @throws JjError `in-the-way`, or `rewritten` when it does not stand where it was said to
   */
  moveBranch(
    move: BranchMove,
    options?: WriteOptions & { readonly keepsUnreachable?: boolean; readonly reason?: string },
  ): Promise<Written>;
  /** The remote's branch that holds a commit, as it was last fetched or pushed; null when none does. */
  pushedTo(commit: string): Promise<string | null>;
  /**
   * How many files and folders of a commit a partial clone has not fetched. jj fetches none of them, so nothing can be built
   * on such a commit. 0 in every other repository.
   */
  missingObjects(commit: string): Promise<number>;
  /** Whether Git signs what this person commits here. jj's commits are not signed, so that nothing asks for a passphrase. */
  signsCommits(): Promise<boolean>;
  /** Files of a commit that Git LFS keeps: what stands there is a pointer, and in workspaces as well. */
  lfsFiles(commit: string): Promise<readonly string[]>;
  /**
   * Those of some paths where a commit holds the content of a file that Git LFS keeps. Workspaces put a pointer in its
   * place when they are recorded, so there are none unless somebody else recorded them.
   */
  lfsContent(commit: string, paths: readonly string[]): Promise<readonly { readonly path: string }[]>;
  /** Who commits here; null where neither jj nor Git was told. Asked anew with every call. */
  identity(): Promise<{ readonly name: string; readonly email: string } | null>;
  /** Calls back when Git may have moved a branch, a tag or HEAD. The returned function stops watching. */
  watchGit(onChange: () => void, onError: (error: Error) => void): () => void;
  /** Makes of a result what shall land. See `LandingOrder`. */
  landingSeries(order: LandingOrder, options?: WriteOptions): Promise<LandingSeries>;

  // ---- workspaces ----------------------------------------------------------------------------------------
  /** `workspace add --no-colocate -r <change> --name <name> <folder>`, one at a time. With `edit` the new workspace works on that very change instead of on a new child. */
  addWorkspace(
    options: { name: string; folder: string; change: string; edit?: boolean } & WriteOptions,
  ): Promise<Written & { workspace: Workspace }>;
  /** Opens a handle on an existing workspace of this repository. */
  workspace(name: string, folder: string): Workspace;
  /**
   * Snapshots, then forgets the workspace and removes its folder. Nothing unsaved is lost: a folder with files that
   * jj does not record (too large, or in a repository of their own) stays, and a JjError `unsaved-files` names them.
   */
  removeWorkspace(workspace: Workspace, options?: WriteOptions): Promise<Written>;

  // ---- trying out ----------------------------------------------------------------------------------------
  /** Computes a write without publishing it; the answer's operation can be read with every reading call. */
  dryRun(write: DryRun): Promise<{ operation: string }>;
  /**
   * Merges changes (by change id) without publishing anything, and answers which of them contradict each other, file by
   * file. What is in conflict already is left out. Two processes when nothing collides, three otherwise.
   */
  trialMerge(changes: readonly string[]): Promise<readonly TrialConflict[]>;

  // ---- watching ------------------------------------------------------------------------------------------
  /**
   * Calls back with every new published operation id (bursts coalesced), first with the one that stands when
   * watching begins, so that nothing between a read and this call is missed. The returned function stops watching.
   */
  watch(onOperation: (operation: string) => void, onError: (error: Error) => void): () => void;
  /** Resolves when every write queued so far is done. */
  idle(): Promise<void>;
  /** How many jj processes this repository has started, for the benchmarks. */
  processCount(): number;
  /** The same by command (`log`, `workspace add`), most first. */
  processesByCommand(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}

export interface WriteOptions {
  /** Id of the intent that caused the write; it stands in the operation's attributes afterwards. */
  readonly request?: string;
  /** Who caused it; shown in the operation log (`agent-1`, `O-A-1`, `hox`). */
  readonly actor?: string;
}

/** Where Git stands in a folder. */
export interface GitStand {
  /** The branch that the person stands on; null where HEAD is at a commit. */
  readonly branch: string | null;
  /** HEAD's commit; null before the first one. */
  readonly commit: string | null;
  /** The branch that the remote calls its main one, by its local name. */
  readonly trunk: string | null;
  readonly underway: string | null;
  /** Files, index and HEAD are Git's to move, not jj's. */
  readonly isHeldByGit: boolean;
}

/** A branch from one commit (null: there is none yet) to another (null: away with it). */
export interface BranchMove {
  readonly branch: string;
  readonly from: string | null;
  readonly to: string | null;
}

/**
 * What lands of a result. `changes`: the very changes with other descriptions. `copies`: new commits one on another on
 * `onto`, each with what its commit changed, and at the end whatever the result holds beyond them. A copy that would hold
 * a conflict is left out: what it changed comes with the last one.
 */
export type LandingOrder =
  | {
      readonly kind: "changes";
      readonly result: string;
      readonly descriptions: readonly { readonly changeId: string; readonly description: string }[];
      /** Change ids: one of them without files, and without several parents that it would bring together, does not land. */
      readonly dispensable: readonly string[];
    }
  | {
      readonly kind: "copies";
      readonly result: string;
      readonly onto: string;
      /** `whole`: the copy holds all that its commit holds, and not only what it changed. */
      readonly commits: readonly {
        readonly commitId: string;
        readonly description: string;
        readonly whole?: boolean;
      }[];
      /** Of the last one. */
      readonly rest: (leftOut: readonly string[]) => string;
    };

export interface LandingSeries {
  readonly operation: string;
  /** The commit to land, with exactly the files of the result. */
  readonly commitId: string;
  readonly changeId: string;
  /** Commits that were copied → their copies. */
  readonly copies: Readonly<Record<string, string>>;
}

export interface DescribeOptions extends WriteOptions {
  /**
   * The operation at which the description was read that the new one was made from. Where the change (by its full id)
   * may have been described anew since, by whomever, the description is left as it is.
   */
  readonly since?: string;
}

export interface Written {
  readonly operation: string;
}

export interface NewChange extends WriteOptions {
  readonly parents: readonly string[];
  readonly description: string;
  /** Files to write into the new change: content, or null to delete. */
  readonly files?: Readonly<Record<string, string | Uint8Array | null>>;
}

export interface ChangedFile {
  readonly path: string;
  readonly kind: "added" | "modified" | "removed" | "renamed" | "copied";
}

export interface ConflictedFile {
  readonly path: string;
  readonly sides: number;
}

/** A file that a trial merge leaves in conflict. */
export interface TrialConflict {
  readonly path: string;
  /** Pairs of change ids that contradict each other there. */
  readonly pairs: readonly (readonly [string, string])[];
}

export type DryRun =
  | { readonly kind: "rebase"; readonly source: string; readonly onto: readonly string[] }
  | {
      readonly kind: "merge";
      readonly parents: readonly string[];
      /** A bookmark on what comes of it. */
      readonly bookmark?: string;
    }
  | {
      readonly kind: "mutation";
      readonly base: string;
      readonly description: string;
      readonly files: Readonly<Record<string, string | Uint8Array | null>>;
    }
  | { readonly kind: "command"; readonly args: readonly string[] };

/** The files of a workspace as jj recorded them. */
export interface Recorded extends Written {
  /** Whether there was anything to record. */
  readonly changed: boolean;
  /** The commit and the change that the workspace works on. */
  readonly commitId: string;
  readonly changeId: string;
  readonly description: string;
  /** Paths in which that commit differs from its parents, however their names look. */
  readonly paths: readonly string[];
  /** New files that jj did not record: too large, or with a name that is no UTF-8. */
  readonly leftOut?: readonly string[];
}

/** A folder with a working copy of its own. Its agent must be between turns while a rewrite happens. */
export interface Workspace {
  readonly name: string;
  readonly folder: string;
  /**
   * Records the files as they are and replaces the description of a change (its full id), with one process. The answer
   * says what stands there: the old words where they were kept because of `since`, and another change where the
   * workspace works on another one by now.
   */
  describe(change: string, description: string, options?: DescribeOptions): Promise<Recorded>;
  /**
   * Records the files as they are into the working-copy change. Says its description too, as a person may have left
   * it, so that whoever patches metadata next needs no jj process to read it.
   */
  snapshot(options?: WriteOptions): Promise<Recorded>;
  /**
   * Brings the files up to a rewritten commit; a workspace that is not stale is left alone. Edits that nobody had
   * recorded before the rewrite are put back; where jj cannot, a JjError `divergent` says where they are.
   */
  updateStale(options?: WriteOptions): Promise<Written & { updated: boolean }>;
  /** Makes the files of the working-copy change those of a commit, which may be hidden and stays so. */
  takeFiles(commit: string, options?: WriteOptions): Promise<Recorded>;
  /**
   * Makes some paths of the working-copy change what they are in a commit, which may be hidden; null: in its parents.
   * What is absent there is taken away.
   */
  restorePaths(paths: readonly string[], from: string | null, options?: WriteOptions): Promise<Recorded>;
  /** Makes this workspace edit another change. */
  edit(change: string, options?: WriteOptions): Promise<Written>;
  /** The commit that this workspace works on now. */
  workingCopy(): Promise<Change>;
}
