import type { Change, Refs } from "#shared/graph/change.ts";

/**
 * The cached part of the graph at one operation, complete for every visible change of Hox's runs and their
 * descendants. Their parents are cached as far as they were read.
 */
export interface CachedGraph {
  readonly operation: string;
  /** Commits without visible children, in the whole graph. */
  readonly heads: readonly string[];
  readonly published: string;
  readonly refs: Refs;
  /** Its changes by commit, children before their parents. */
  readonly rows: ReadonlyMap<string, Change>;
  /** Rows of their parents. */
  readonly below: ReadonlyMap<string, Change>;
}

/** The same as jj's `ofRuns`: the line counts anywhere. */
const runLine = /^Hox-Run: /mu;

/** Whether a change is one of a run. */
const isOfRun = (change: Change): boolean => runLine.test(change.description);

/**
 * The changes of runs and their descendants, among the ancestors of some heads.
 * @param heads commits to begin at
 * @param rowOf the row of a commit; undefined prunes it with all its ancestors
 * @returns children before their parents
 */
export function changesOnRuns(
  heads: readonly string[],
  rowOf: (commit: string) => Change | undefined,
): readonly Change[] {
  const belongs = new Map<string, boolean>();
  const parentsFirst: Change[] = [];
  const open: { readonly change: Change; isEntered: boolean }[] = [];
  const push = (commit: string): void => {
    const change = belongs.has(commit) ? undefined : rowOf(commit);
    if (change) open.push({ change, isEntered: false });
  };
  for (const head of heads.toReversed()) push(head);
  for (let next = open.at(-1); next !== undefined; next = open.at(-1)) {
    const { change } = next;
    if (next.isEntered || belongs.has(change.commitId)) {
      open.pop();
      if (belongs.has(change.commitId)) continue;
      const is = isOfRun(change) || change.parents.some((parent) => belongs.get(parent) === true);
      belongs.set(change.commitId, is);
      if (is) parentsFirst.push(change);
    } else {
      next.isEntered = true;
      for (const parent of change.parents.toReversed()) push(parent);
    }
  }
  return parentsFirst.toReversed();
}

/** Says of each whether another one of the same change is among them. */
export function withDivergence(changes: readonly Change[]): readonly Change[] {
  const counts = new Map<string, number>();
  for (const { changeId } of changes) counts.set(changeId, (counts.get(changeId) ?? 0) + 1);
  return changes.map((change) =>
    (counts.get(change.changeId) ?? 0) > 1 ? { ...change, divergent: true } : change,
  );
}

/** The one visible commit of a change or of a commit id; undefined if only jj can tell. */
export function changeNamed({ rows }: CachedGraph, name: string): Change | undefined {
  const byCommit = rows.get(name);
  if (byCommit) return byCommit;
  const found = [...rows.values()].filter(({ changeId }) => changeId === name);
  return found.length === 1 && found[0]?.divergent === false ? found[0] : undefined;
}

/** The same where it may also be what a cached change stands on. */
export function changeOrBaseNamed(graph: CachedGraph, name: string): Change | undefined {
  const row = changeNamed(graph, name) ?? graph.below.get(name);
  if (row) return row;
  const found = [...graph.below.values()].filter(({ changeId }) => changeId === name);
  return found.length === 1 && found[0]?.divergent === false ? found[0] : undefined;
}

/** The same of several, each once; undefined where one of them is not known. */
export function changesNamed(graph: CachedGraph, names: readonly string[]): readonly Change[] | undefined {
  const found = names.flatMap((name) => changeNamed(graph, name) ?? []);
  return found.length === names.length ? [...new Set(found)] : undefined;
}

/**
 * Whether one commit is another, or below it.
 * @returns undefined where what is known does not say
 */
export function isBelow({ rows }: CachedGraph, commit: string, above: string): boolean | undefined {
  if (!rows.has(above)) return undefined;
  if (commit === above) return true;
  const found = new Set([above]);
  for (const each of found)
    for (const parent of rows.get(each)?.parents ?? []) {
      if (parent === commit) return true;
      found.add(parent);
    }
  // Descendants of a cached change are cached, so the path to one leads through cached ones only.
  return rows.has(commit) ? false : undefined;
}

/** The heads among some commits; undefined if the cache cannot tell. */
export function headsAmong(graph: CachedGraph, commits: readonly string[]): readonly string[] | undefined {
  const heads: string[] = [];
  for (const commit of commits) {
    const others = commits.filter((other) => other !== commit).map((other) => isBelow(graph, commit, other));
    if (others.includes(true)) continue;
    if (others.includes(undefined)) return undefined;
    heads.push(commit);
  }
  return heads;
}
