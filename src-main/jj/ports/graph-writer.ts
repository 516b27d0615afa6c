import type { MetadataPatch } from "#shared/domain/graph-words/metadata.ts";

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
      onto?: readonly string[];
      insertAfter?: readonly string[];
      insertBefore?: readonly string[];
    } & WriteOptions,
  ): Promise<Written>;
  squash(options: { from: string; into: string; description?: string } & WriteOptions): Promise<Written>;
  /**
   * Writes one file of a change: a text, or the file as a commit has it, which takes it away where that has none. What
   * stands on the change is rebased. A text without conflict markers resolves a conflict; a conflict comes back with the
   * names of its sides.
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
   * Moves a bookmark anywhere, or away (`to` null), from where it was seen and from nowhere else.
   * @throws JjError `rewritten` when somebody else moved it; it stands where they put it then
   */
  moveBookmarkBack(
    move: { readonly branch: string; readonly from: string | null; readonly to: string | null },
    options?: WriteOptions,
  ): Promise<Written>;
  /** Undoes one operation and keeps the later ones (`jj op revert`). */
  revertOperation(operation: string, options?: WriteOptions): Promise<Written>;
  /**
   * The whole graph as it was after an operation (`jj op restore`), in one published step: changes, bookmarks, workspaces.
   * What jj knows of remotes stays, and so do Git's branches where Git holds the opened folder. Elsewhere that folder's
   * files come along; other workspaces are behind until they are brought up to date.
   * @throws JjError `rewritten` when somebody else wrote after the operation `since`, `no-such-operation`
   */
  restoreEverything(options: { operation: string; since: string } & WriteOptions): Promise<Written>;
  /**
   * Repairs divergence of all mutable changes, or of those of a run; answers the change ids that stay divergent.
   * `crossed`: only what Hox wrote on one side, or what it keeps (a change with trailers of ours). What a person has
   * had twice for reasons of their own is none of our business then.
   */
  converge(
    options?: WriteOptions & { run?: string; crossed?: boolean },
  ): Promise<Written & { remaining: readonly string[] }>;
}

export interface WriteOptions {
  /** Id of the intent that caused the write; it stands in the operation's attributes afterwards. */
  readonly request?: string;
  /** Who caused it; shown in the operation log (`agent-1`, `O-A-1`, `hox`). */
  readonly actor?: string;
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
