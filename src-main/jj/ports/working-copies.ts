import type { Change } from "#shared/graph/change.ts";
import type { DescribeOptions, WriteOptions, Written } from "./graph-writer.ts";

/** The folder that the user opened, if jj manages its files. */
export interface OpenedFolder {
  /**
   * Records its files as they are. Answers the change that they are, and the paths in which it differs from its parents.
   * @throws JjError `in-the-way` where Git holds the folder
   */
  recordOpened(): Promise<{ readonly change: Change; readonly paths: readonly string[] }>;
  /**
   * A new change on a commit in that folder, like `jj new`: the current change is snapshotted, and abandoned
   * if it is empty.
   * @throws JjError `in-the-way` if Git manages the folder
   */
  startOn(commit: string, options?: WriteOptions): Promise<Written>;
}

/** Working copies of changes, each in a separate folder. */
export interface WorkingCopies extends OpenedFolder {
  /** `workspace add --no-colocate -r <change> --name <name> <folder>`, one at a time. With `edit` the new workspace works on that very change instead of on a new child. */
  addWorkspace(
    options: { name: string; folder: string; change: string; edit?: boolean } & WriteOptions,
  ): Promise<Written & { workspace: Workspace }>;
  /** Opens a handle on an existing workspace of this repository. */
  workspace(name: string, folder: string): Workspace;
  /**
   * Snapshots, then forgets the workspace and removes its folder. Nothing unsaved is lost: a folder with
   * files that jj does not record (too large, or in a nested repository) stays, and a JjError `unsaved-files`
   * names them.
   */
  removeWorkspace(workspace: Workspace, options?: WriteOptions): Promise<Written>;
}

/** The files of a workspace as jj recorded them. */
export interface Recorded extends Written {
  /** Whether there was anything to record. */
  readonly hasChanged: boolean;
  /** The commit and the change that the workspace works on. */
  readonly commitId: string;
  readonly changeId: string;
  readonly description: string;
  /** Paths in which that commit differs from its parents, however their names look. */
  readonly paths: readonly string[];
  /** New files that jj did not record: too large, or with a name that is no UTF-8. */
  readonly unsnapshotted?: readonly string[];
}

/** A folder with its own working copy. Its agent must be between turns during a rewrite. */
export interface Workspace {
  readonly name: string;
  readonly folder: string;
  /**
   * Snapshots the files and replaces the description of a change (its full id), in one process. Returns the
   * result: the old description if it was kept because of `since`, and another change if the workspace is on
   * another one by now.
   */
  describe(change: string, description: string, options?: DescribeOptions): Promise<Recorded>;
  /**
   * Snapshots the files into the working-copy change. Returns its description too, so that patching metadata
   * next needs no jj process to read it.
   */
  snapshot(options?: WriteOptions): Promise<Recorded>;
  /**
   * Records files while tools work with them, and never changes them. Null if nothing was recorded: the workspace is
   * stale, or `isWanted` refused.
   * @param isWanted asked right before jj starts
   */
  snapshotInBackground(
    options: WriteOptions & { readonly isWanted: () => boolean },
  ): Promise<Recorded | null>;
  /**
   * The commit that the workspace is on, if jj would find nothing to update here: the files are those of it, but for edits
   * that are not recorded yet. No process; null also where this process has neither recorded nor written them.
   */
  freshCommit(): Promise<string | null>;
  /** Whether a write to the repository runs or waits, which a snapshot in the background would delay. */
  isQueueBusy(): boolean;
  /**
   * Updates the files to a rewritten commit; a workspace that is not stale is left alone. Edits that were not
   * recorded before the rewrite are restored; if jj cannot, a JjError `divergent` says where they are.
   */
  updateStale(options?: WriteOptions): Promise<Written & { updated: boolean }>;
  /**
   * Moves a change with its descendants, as `GraphWriter.rebase` does. The files here are recorded before and updated
   * afterwards, all in one process.
   */
  rebase(options: { source: string; onto: readonly string[] } & WriteOptions): Promise<Written>;
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
