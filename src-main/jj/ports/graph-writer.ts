import type { MetadataPatch } from "#shared/domain/change-metadata/metadata.ts";

/** Writes to the graph, through one queue; each call answers with the operation that it made. */
export interface GraphWriter {
  /** New change on `parents` without touching any working copy. */
  newChange(options: NewChange): Promise<Written & { changeId: string; commitId: string }>;
  /**
   * A new change with what a commit changed, put on `parents` as a rebase would. The commit may be a previous version of a
   * change that is not on the graph any more.
   */
  duplicate(
    options: { commit: string; parents: readonly string[]; description: string } & WriteOptions,
  ): Promise<Written & { changeId: string; commitId: string }>;
  /**
   * A merge of several changes that never appears on the graph, in one published operation. It is read by its id until jj
   * collects its garbage.
   */
  hiddenMerge(
    options: { changes: readonly string[]; description: string } & WriteOptions,
  ): Promise<Written & { commitId: string }>;
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
      onto: readonly string[];
    } & WriteOptions,
  ): Promise<Written>;
  squash(options: { from: string; into: string; description?: string } & WriteOptions): Promise<Written>;
  /**
   * Writes one file of a change: a text, or the file as in a commit, which deletes it if that has none.
   * Descendants are rebased. A text without conflict markers resolves a conflict; a restored conflict keeps
   * the names of its sides.
   */
  resolveFile(
    options: {
      change: string;
      path: string;
      as:
        | { readonly kind: "text"; readonly text: string }
        | { readonly kind: "commit" | "conflict"; readonly commit: string };
    } & WriteOptions,
  ): Promise<Written>;
  /** Takes a change's content back to what it inherits (its merged parents); it and its description stay. */
  restore(change: string, options?: WriteOptions): Promise<Written>;
  /** One change, or several at once; of several, those that are gone by now are left out. */
  abandon(change: string | readonly string[], options?: WriteOptions): Promise<Written>;
  setBookmark(
    name: string,
    to: string,
    options?: WriteOptions & { allowBackwards?: boolean },
  ): Promise<Written>;
  /** One, or several at once. */
  deleteBookmark(name: string | readonly string[], options?: WriteOptions): Promise<Written>;
  /**
   * Moves a bookmark anywhere, or deletes it (`to` null), only if it is where it was seen.
   * @throws JjError `rewritten` if it was moved meanwhile; then it stays there
   */
  moveBookmarkBack(
    move: { readonly branch: string; readonly from: string | null; readonly to: string | null },
    options?: WriteOptions,
  ): Promise<Written>;
  /** Undoes one operation and keeps the later ones (`jj op revert`). */
  revertOperation(operation: string, options?: WriteOptions): Promise<Written>;
  /**
   * Restores the whole graph to an operation (`jj op restore`) in one published step: changes, bookmarks,
   * workspaces. Keeps remote-tracking branches, and Git's branches if Git manages the opened folder.
   * Otherwise that folder's files are updated; other workspaces become stale.
   * @throws JjError `rewritten` if someone wrote after the operation `since`, `no-such-operation`
   */
  restoreEverything(options: { operation: string; since: string } & WriteOptions): Promise<Written>;
  /**
   * Repairs divergence of all mutable changes, or of a run's; returns the change ids that stay divergent.
   * `crossed`: only with a side written by Hox, or with our trailers; the user's own divergent changes are
   * left alone.
   */
  converge(
    options?: WriteOptions & { run?: string; crossed?: boolean },
  ): Promise<Written & { remaining: readonly string[] }>;
}

export interface WriteOptions {
  /** Id of the intent that caused the write; recorded in the operation's attributes. */
  readonly request?: string;
  /** Who caused it; shown in the operation log (`agent-1`, `O-A-1`, `hox`). */
  readonly actor?: string;
  /** No agent waits for it: where there are many writes, those of agents go first. Only for rebases and descriptions. */
  readonly canWait?: boolean;
}

export interface DescribeOptions extends WriteOptions {
  /**
   * The operation at which the old description was read. If the change (by its full id) may have a newer
   * description, it is kept.
   */
  readonly since?: string;
}

export interface Written {
  readonly operation: string;
}

interface NewChange extends WriteOptions {
  readonly parents: readonly string[];
  readonly description: string;
  /** Files to write into the new change: content, or null to delete. */
  readonly files?: Readonly<Record<string, string | Uint8Array | null>>;
}
