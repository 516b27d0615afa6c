/** The change graph on screen. Deltas make a new version that keeps every row they do not touch. */
import { create } from "zustand";
import type { HostEvent } from "#shared/contract/events.ts";
import { patched } from "#shared/domain/patch.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { type Change, type Refs, shortOperation } from "#shared/graph/change.ts";
import type { ChangeGraph } from "#shared/graph/change-graph.ts";
import { buildGraph, changeOfCommit, rowOfCommit, rowsOfChange } from "#shared/graph/change-graph.ts";
import { applyDelta } from "#shared/graph/delta.ts";
import type { RowKey } from "./selection-store.ts";

export interface GraphState {
  readonly graph: ChangeGraph | null;
  /** Rows of a graph whose last part has not come yet. */
  readonly arriving: readonly Change[] | null;
  /** Short ids of the newest operations that it shows. */
  readonly operations: readonly string[];
  /** How many whole graphs came. */
  readonly wholes: number;
}

export const noGraph: GraphState = { graph: null, arriving: null, operations: [], wholes: 0 };

/** More than are made while somebody waits to see one of them. */
const keptOperations = 500;

export type Reduced =
  | { readonly kind: "next"; readonly state: GraphState }
  /** A delta does not start at the current graph: a snapshot is needed. */
  | { readonly kind: "gap" };

/**
 * Reduces events into the graph. Of a graph in parts the first part is shown at once and the rest together, so
 * that a large repository is arranged twice and not once for each part.
 */
export function reduceGraph(start: GraphState, events: readonly HostEvent[]): Reduced {
  let { graph, arriving, operations, wholes } = start;
  for (const event of events) {
    switch (event.kind) {
      case "repository":
        graph = null;
        arriving = null;
        break;
      case "snapshot":
        // After a cut the old graph stays on screen until the new one is there.
        if (event.repository === null) graph = null;
        arriving = null;
        break;
      case "graph-part": {
        const changes: readonly Change[] = event.first
          ? event.changes
          : [...(arriving ?? []), ...event.changes];
        arriving = event.last ? null : changes;
        if (event.last) {
          operations = event.operations;
          wholes += 1;
        }
        if (event.first || event.last) {
          graph = buildGraph({ operation: event.operation, changes, refs: event.refs });
        }
        break;
      }
      case "graph-delta":
        if (graph === null || arriving !== null) return { kind: "gap" };
        if (event.delta.operation === graph.operation) break;
        if (event.delta.from !== graph.operation) return { kind: "gap" };
        graph = applyDelta(graph, {
          ...event.delta,
          refs: event.refs === null ? graph.refs : patched(graph.refs, event.refs),
        });
        operations = [...event.operations, ...operations].slice(0, keptOperations);
        break;
      default:
        break;
    }
  }
  const same = graph === start.graph && arriving === start.arriving;
  return { kind: "next", state: same ? start : { graph, arriving, operations, wholes } };
}

export const useGraph = create<GraphState>(() => noGraph);

/**
 * Resolves when the graph on screen shows an operation that the host has answered, or a later one. A whole graph that comes
 * after the answer shows it, and so does none: then there is nothing to wait for.
 */
export function untilOnScreen(operation: string): Promise<void> {
  const { wholes } = useGraph.getState();
  const id = shortOperation(operation);
  const isShown = (state: GraphState): boolean =>
    state.graph === null || state.wholes !== wholes || state.operations.includes(id);
  if (isShown(useGraph.getState())) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = useGraph.subscribe((state) => {
      if (!isShown(state)) return;
      stop();
      resolve();
    });
  });
}

/** The name by which a row is selected and found again after it was rewritten. */
export const keyOf = (change: Change): RowKey => (change.divergent ? change.commitId : change.changeId);

const isChangeId = (key: RowKey): boolean => /^[k-z]/u.test(key);

/** The row that a key names, or −1. */
export function rowOfKey(graph: ChangeGraph, key: RowKey): number {
  if (!isChangeId(key)) return rowOfCommit(graph, key);
  return rowsOfChange(graph, key)[0] ?? -1;
}

export function changeOfKey(graph: ChangeGraph, key: RowKey): Change | null {
  return (isChangeId(key) ? graph.changes[rowOfKey(graph, key)] : changeOfCommit(graph, key)) ?? null;
}

/** The change that a key names; renders again only when that very change was rewritten. */
export const useChange = (key: RowKey | null): Change | null =>
  useGraph((state) => (key && state.graph ? changeOfKey(state.graph, key) : null));

const noRefs: Refs = { bookmarks: {}, workspaces: {} };

/** Whether a bookmark points to several changes at once. */
export const useBookmarkConflict = (name: string): boolean =>
  useGraph((state) => (state.graph?.refs.bookmarks[name]?.length ?? 1) > 1);

export const useRefs = (): Refs => useGraph((state) => state.graph?.refs ?? noRefs);

/** The root of every jj repository: it has no parents, no author and no words. */
export const isRoot = (change: Change): boolean => /^z+$/u.test(change.changeId);

/** First line of a description, which may be empty. */
export function subjectOf(change: Change): string {
  if (isRoot(change)) return "root";
  const end = change.description.indexOf("\n");
  return shownText(end < 0 ? change.description : change.description.slice(0, end));
}

export interface Found {
  readonly key: RowKey;
  readonly change: Change;
  readonly subject: string;
}

/** Changes whose subject holds the words or whose id begins with them, top of the graph first. */
export function searchChanges(graph: ChangeGraph, text: string, most: number): readonly Found[] {
  const wanted = text.trim().toLowerCase();
  if (wanted.length < 2) return [];
  const found: Found[] = [];
  for (const change of graph.changes) {
    const subject = subjectOf(change);
    if (
      change.changeId.startsWith(wanted) ||
      change.commitId.startsWith(wanted) ||
      subject.toLowerCase().includes(wanted)
    ) {
      found.push({ key: keyOf(change), change, subject });
      if (found.length === most) break;
    }
  }
  return found;
}
