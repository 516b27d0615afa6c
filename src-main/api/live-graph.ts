import type { HostEvent } from "#shared/contract/events.ts";
import { patchBetween } from "#shared/domain/patch.ts";
import type { Change, GraphDelta, GraphSnapshot, Refs } from "#shared/graph/change.ts";

/** The first part is small so that something is on screen early; later ones cost less per row. */
const firstPart = 200;
const nextParts = 1_000;
/** More than are made while somebody waits to see one of them. */
export const shownOperations = 200;

type GraphPart = Extract<HostEvent, { kind: "graph-part" }>;
type GraphDeltaEvent = Extract<HostEvent, { kind: "graph-delta" }>;

/** The graph that clients see: what was read so far, with every later delta. */
export function createLiveGraph() {
  const byCommit = new Map<string, Change>();
  let operation = "";
  let changes: readonly Change[] = [];
  let refs: Refs = { bookmarks: {}, workspaces: {} };
  let isComplete = false;
  let shown: readonly string[] = [];

  /** Adds rows of a graph that is being read and returns the event for them. */
  const append = (more: readonly Change[], of: string): GraphPart => {
    const first = changes.length === 0;
    operation = of;
    changes = first ? more : [...changes, ...more];
    for (const change of more) byCommit.set(change.commitId, change);
    return { kind: "graph-part", operation, first, last: false, changes: more, refs, operations: [] };
  };

  return {
    append,
    /** Takes what is still missing of the graph that was read. @param operations as the event has them */
    finish(graph: GraphSnapshot, operations: readonly string[]): GraphPart {
      const part = append(graph.changes.slice(changes.length), graph.operation);
      refs = graph.refs;
      isComplete = true;
      shown = operations;
      return { ...part, last: true, refs, operations };
    },
    operation: (): string => operation,
    refs: (): Refs => refs,
    find: (commitId: string): Change | undefined => byCommit.get(commitId),
    /** The version of a change that is on screen; undefined when there is none, or more than one. */
    findChange(changeId: string): Change | undefined {
      const found = changes.filter((change) => change.changeId === changeId);
      return found.length === 1 ? found[0] : undefined;
    },
    /** Takes in what changed and returns the event for it. @param operations as the event has them */
    apply({ refs: next, ...delta }: GraphDelta, operations: readonly string[]): GraphDeltaEvent {
      shown = [...operations, ...shown].slice(0, shownOperations);
      changes = withDelta(changes, delta);
      for (const commit of delta.removed) byCommit.delete(commit);
      for (const change of delta.added) byCommit.set(change.commitId, change);
      const before = refs;
      ({ operation } = delta);
      refs = next;
      return { kind: "graph-delta", delta, refs: patchBetween(before, next), operations };
    },
    /** The whole graph as events, in log order; at least one, though it is empty. */
    parts(): readonly GraphPart[] {
      const starts = [0];
      for (let at = firstPart; at < changes.length; at += nextParts) starts.push(at);
      return starts.map((at, index) => {
        const last = isComplete && index === starts.length - 1;
        return {
          ...{ kind: "graph-part", operation, first: at === 0, last, refs, operations: last ? shown : [] },
          changes: changes.slice(at, starts[index + 1]),
        };
      });
    },
  };
}

export type LiveGraph = ReturnType<typeof createLiveGraph>;

/**
 * New rows go on top: a commit cannot be the parent of an older one, so children still come before parents. A
 * row that is read again (its bookmark moved, it became divergent) keeps its index.
 */
function withDelta(
  changes: readonly Change[],
  delta: Pick<GraphDelta, "added" | "removed">,
): readonly Change[] {
  const gone = new Set(delta.removed);
  const added = new Map(delta.added.map((change) => [change.commitId, change]));
  const kept: Change[] = [];
  for (const change of changes) {
    const again = added.get(change.commitId);
    if (again) {
      kept.push(again);
      added.delete(change.commitId);
    } else if (!gone.has(change.commitId)) kept.push(change);
  }
  return added.size === 0 ? kept : [...added.values(), ...kept];
}
