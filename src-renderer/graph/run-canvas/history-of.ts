import { type ChangeGraph, changeAt, changeOfCommit, rowsOfChange } from "#shared/graph/change-graph.ts";

/** What lies below a run: how many changes, and by which name people know the newest. */
export interface History {
  readonly count: number;
  readonly name: string;
}

/** @param onto change id of what the run builds on; null where it builds on nothing */
export function historyOf(graph: ChangeGraph | null, onto: string | null): History {
  const top = graph && onto !== null ? changeAt(graph, rowsOfChange(graph, onto)[0] ?? -1) : undefined;
  if (!graph || !top) return { count: 0, name: "nothing" };
  const seen = new Set<string>();
  const left = [top.commitId];
  for (let commit = left.pop(); commit !== undefined; commit = left.pop()) {
    const change = changeOfCommit(graph, commit);
    if (!change || seen.has(commit)) continue;
    seen.add(commit);
    left.push(...change.parents);
  }
  const bookmark = Object.entries(graph.refs.bookmarks).find(([, commits]) => commits.includes(top.commitId));
  return { count: seen.size, name: bookmark?.[0] ?? top.changeId.slice(0, 8) };
}
