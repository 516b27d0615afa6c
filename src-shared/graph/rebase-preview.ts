import type { Change } from "./change.ts";
import { type ChangeGraph, changeAt, descendantRows, rowOfCommit } from "./change-graph.ts";
import { applyDelta } from "./delta.ts";

export type RebasePreview =
  | {
      readonly ok: true;
      /** The graph as it will be. Commits that the rebase rewrites have made-up ids that begin with `preview:`. */
      readonly graph: ChangeGraph;
      /** Commit ids, as they are now, of all that is rewritten; children first. */
      readonly rewritten: readonly string[];
    }
  | {
      readonly ok: false;
      readonly reason: "unknown" | "immutable" | "itself" | "descendant" | "already-there";
    };

/**
 * The resulting graph of dropping one change on another, with all that stands on it: `jj rebase -s what -d onto`.
 * (CARD-7) Knows nothing of conflicts or of changes that become empty; the host's dry run confirms or corrects it.
 * @param what commit id of the change that moves.
 * @param onto commit id of its new parent.
 */
export function previewRebase(graph: ChangeGraph, what: string, onto: string): RebasePreview {
  const from = rowOfCommit(graph, what);
  const to = rowOfCommit(graph, onto);
  const moving = changeAt(graph, from);
  if (!moving || to < 0) return { ok: false, reason: "unknown" };
  if (moving.immutable) return { ok: false, reason: "immutable" };
  if (from === to) return { ok: false, reason: "itself" };
  const above = [...descendantRows(graph, from)];
  if (above.includes(to)) return { ok: false, reason: "descendant" };
  if (moving.parents.length === 1 && moving.parents[0] === onto)
    return { ok: false, reason: "already-there" };
  return rewrite(graph, [from, ...above], (change) => (change === moving ? [onto] : change.parents));
}

const previewed = (commitId: string): string => `preview:${commitId}`;

function rewrite(
  graph: ChangeGraph,
  rows: readonly number[],
  parentsOf: (change: Change) => readonly string[],
): RebasePreview {
  const changes = [...rows].sort((a, b) => a - b).flatMap((row) => changeAt(graph, row) ?? []);
  const ids = new Set(changes.map((change) => change.commitId));
  const added = changes.map(
    (change): Change => ({
      ...change,
      commitId: previewed(change.commitId),
      parents: parentsOf(change).map((parent) => (ids.has(parent) ? previewed(parent) : parent)),
    }),
  );
  const moved = (commitId: string): string => (ids.has(commitId) ? previewed(commitId) : commitId);
  const { bookmarks, workspaces } = graph.refs;
  const refs = {
    bookmarks: Object.fromEntries(
      Object.entries(bookmarks).map(([name, targets]) => [name, targets.map(moved)]),
    ),
    workspaces: Object.fromEntries(
      Object.entries(workspaces).map(([name, commitId]) => [name, moved(commitId)]),
    ),
  };
  const operation = graph.operation;
  const next = applyDelta(graph, { from: operation, operation, added, removed: [...ids], refs });
  return { ok: true, graph: next, rewritten: [...ids] };
}
