import type { Metadata } from "../domain/change-metadata/metadata.ts";

/** One commit of the graph as a viewer needs it. Commits are immutable: equal commit ids mean equal rows. */
export interface Change {
  readonly commitId: string;
  /** jj's reverse-hex change id (letters k–z). Not unique when `divergent`. */
  readonly changeId: string;
  /** Parent commit ids, first parent first. */
  readonly parents: readonly string[];
  readonly description: string;
  readonly author: { readonly name: string; readonly email: string };
  /** Milliseconds since 1970, of the committer. */
  readonly timestamp: number;
  readonly metadata: Metadata;
  readonly immutable: boolean;
  readonly divergent: boolean;
  readonly conflict: boolean;
}

/** The names that point at commits; re-read whole with every operation. */
export interface Refs {
  /** Local bookmark → commit ids (several when the bookmark is conflicted). */
  readonly bookmarks: Readonly<Record<string, readonly string[]>>;
  /** Workspace name → commit id of its working copy. */
  readonly workspaces: Readonly<Record<string, string>>;
}

/** A whole graph: rows in jj's log order (children before parents) and the operation that it shows. */
export interface GraphSnapshot {
  readonly operation: string;
  readonly changes: readonly Change[];
  readonly refs: Refs;
}

/**
 * What one or more operations did to the graph. `added` in log order, children first. It also holds commits that
 * were shown before and whose `immutable` or `divergent` changed: a row replaces the one of the same commit id.
 */
export interface GraphDelta {
  readonly from: string;
  readonly operation: string;
  readonly added: readonly Change[];
  readonly removed: readonly string[];
  readonly refs: Refs;
}

/** How many operations a window lists, and as many snapshots. */
export const listedOperations = 200;

/**
 * The list of operations after newer ones came in, newest first, each once. Agents' files are recorded while they
 * work: snapshots have room of their own and push nothing else out.
 */
export function withNewerOperations(
  known: readonly Operation[],
  newer: readonly Operation[],
): readonly Operation[] {
  const ids = new Set(newer.map(({ id }) => id));
  let [others, snapshots] = [0, 0];
  return [...newer, ...known.filter(({ id }) => !ids.has(id))].filter(
    ({ snapshot }) => (snapshot ? ++snapshots : ++others) <= listedOperations,
  );
}

/** One actor's operations, newest first, with the newest only of snapshots that follow each other. */
export const joinSnapshots = (own: readonly Operation[]): readonly Operation[] =>
  own.filter(({ snapshot }, at) => !snapshot || own[at - 1]?.snapshot !== true);

/** As many digits of an operation's id as jj shows. */
export const shortOperation = (id: string): string => id.slice(0, 12);

/** One row of jj's operation log. */
export interface Operation {
  readonly id: string;
  readonly parents: readonly string[];
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly description: string;
  readonly snapshot: boolean;
  /** The workspace in which it ran, when jj knows it. */
  readonly workspace: string | null;
  /** Who caused it, as far as is known: an agent or orchestrator name, `hox`, or `terminal`. */
  readonly actor: string;
  /** The request id of ours that caused it. */
  readonly request: string | null;
}
