/** Everything about one change that both views show, gathered in one place. */
import type { WorkerView } from "#shared/contract/views/run.ts";
import type { Change } from "#shared/graph/change.ts";
import { type Names, namesByCommit } from "#shared/graph/change-graph.ts";
import { kindNames, statusNames } from "../../kit/status-icon.tsx";
import { subjectOf, useGraph } from "../../state/graph-store.ts";
import { type Meetings, meetingSentence } from "../../state/radar.ts";

/** How the node of a row is drawn in the log. */
export type NodeShape = "change" | "working-copy" | "immutable" | "conflict" | "fold" | "empty";

const noNames: Names = { bookmarks: [], workspaces: [] };

/** Bookmarks and workspaces of a commit; the same object until one of them moves. */
export const useNames = (commitId: string): Names =>
  useGraph((state) => (state.graph ? (namesByCommit(state.graph.refs).get(commitId) ?? noNames) : noNames));

/** The names that say more than who works here: an agent's own bookmark and workspace repeat its avatar. */
export function furtherNames(names: Names, worker: WorkerView | null): Names {
  if (!worker) return names;
  return {
    bookmarks: names.bookmarks.filter((name) => name !== worker.name && !name.endsWith(`/${worker.name}`)),
    workspaces: names.workspaces.filter((name) => name !== worker.name),
  };
}

export function shapeOf(change: Change, names: Names): NodeShape {
  if (change.conflict) return "conflict";
  if (names.workspaces.includes("default")) return "working-copy";
  if (change.immutable) return "immutable";
  return change.description === "" ? "empty" : "change";
}

/** What a conflict on this change means, in the words of its badge; null without one. */
export function conflictOf(change: Change, worker: WorkerView | null): string | null {
  // What no conflict in jj shows contradicts the decision all the same.
  if (worker?.conflict === "mutation")
    return change.conflict ? "decision conflict" : "contradicts a decision";
  if (worker?.conflict === "merge") return "merge conflict";
  return change.conflict ? "conflict" : null;
}

/** One sentence for screen readers and for the live region. */
export function spoken(change: Change, names: Names, worker: WorkerView | null, meetings: Meetings): string {
  const { kind, status, priority } = change.metadata;
  const conflict = conflictOf(change, worker);
  const parts = [
    subjectOf(change) || (names.workspaces.includes("default") ? "your working copy" : "no description"),
    kind && kindNames[kind],
    status && statusNames[status],
    priority && `${priority} priority`,
    worker && (worker.byHand ? "assigned to you" : `${worker.name} ${worker.state}`),
    conflict,
    meetings.length > 0 && meetingSentence(meetings),
    change.divergent && "divergent",
    names.bookmarks.length > 0 && `bookmarks ${names.bookmarks.join(", ")}`,
    names.workspaces.length > 0 && `working copy of ${names.workspaces.join(", ")}`,
    change.immutable && "immutable",
  ];
  return parts.filter(Boolean).join(", ");
}
