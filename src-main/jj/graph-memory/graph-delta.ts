import type { Change, GraphDelta } from "#shared/graph/change.ts";
import type { CachedGraph } from "./known-graph.ts";

/**
 * What differs between two known graphs of which the later one came about by our own writes.
 * @returns null where something came or went that is not among the changes that are known
 */
export function deltaBetween(before: CachedGraph, after: CachedGraph): GraphDelta | null {
  const added = [...after.rows.values()].filter((row) => isNewIn(before, row));
  const removed = [...before.rows.values()].filter(({ commitId }) => !after.rows.has(commitId));
  const visibleBefore = visibleIn(before);
  const visibleAfter = visibleIn(after);
  const areAllCached =
    [...after.heads, ...added.flatMap(({ parents }) => parents)].every(
      (commit) => after.rows.has(commit) || visibleBefore.has(commit),
    ) &&
    [...before.heads, ...removed.flatMap(({ parents }) => parents)].every(
      (commit) => before.rows.has(commit) || visibleAfter.has(commit),
    );
  if (!areAllCached) return null;
  return {
    from: before.operation,
    operation: after.operation,
    added,
    removed: removed.map(({ commitId }) => commitId),
    refs: after.refs,
  };
}

/** Commits never change, but whether another one has the same change id does. */
function isNewIn({ rows }: CachedGraph, row: Change): boolean {
  const known = rows.get(row.commitId);
  return known === undefined || known.divergent !== row.divergent || known.immutable !== row.immutable;
}

/** What is surely visible: the changes of runs, what those stand on, and all heads. */
const visibleIn = ({ heads, rows }: CachedGraph): ReadonlySet<string> =>
  new Set([...heads, ...[...rows.values()].flatMap(({ commitId, parents }) => [commitId, ...parents])]);
