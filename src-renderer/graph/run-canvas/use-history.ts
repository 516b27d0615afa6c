import { useMemo } from "react";
import { shortened } from "#shared/domain/text/format-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { type ChangeGraph, changeAt, changeOfCommit, rowsOfChange } from "#shared/graph/change-graph.ts";
import { useGraph } from "../../state/graph-store.ts";

/** What is below a run: the number of changes, and the bookmark or title of the newest. */
export interface History {
  readonly count: number;
  readonly name: string;
}

/**
 * @param onto change id of what the run builds on; null where it builds on nothing
 * @param landedOn the bookmark as it was before the run landed on it; null: it has not landed
 */
export function useHistory(onto: string | null, landedOn: string | null): History {
  const top = useGraph(({ graph }) => topOf(graph, onto)?.commitId ?? null);
  const name = useGraph(({ graph }) => nameOf(graph, onto, landedOn));
  // What is below a commit never changes: it is walked once and not at every operation.
  const count = useMemo(() => countFrom(useGraph.getState().graph, top), [top]);
  return useMemo(() => ({ count, name }), [count, name]);
}

const topOf = (graph: ChangeGraph | null, onto: string | null) =>
  graph && onto !== null ? changeAt(graph, rowsOfChange(graph, onto)[0] ?? -1) : undefined;

function nameOf(graph: ChangeGraph | null, onto: string | null, landedOn: string | null): string {
  const top = topOf(graph, onto);
  if (!graph || !top) return "nothing";
  const bookmark = Object.entries(graph.refs.bookmarks).find(([, commits]) => commits.includes(top.commitId));
  const title = shownLine(top.description.split("\n", 1)[0] ?? "");
  return bookmark?.[0] ?? landedOn ?? (title === "" ? top.changeId.slice(0, 8) : shortened(title, 24));
}

function countFrom(graph: ChangeGraph | null, top: string | null): number {
  if (!graph || top === null) return 0;
  const seen = new Set<string>();
  const left = [top];
  for (let commit = left.pop(); commit !== undefined; commit = left.pop()) {
    const change = changeOfCommit(graph, commit);
    if (!change || seen.has(commit)) continue;
    seen.add(commit);
    left.push(...change.parents);
  }
  return seen.size;
}
