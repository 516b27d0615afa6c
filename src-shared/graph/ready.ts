import { compareTasks } from "../domain/graph-words/rank.ts";
import type { Change } from "./change.ts";
import { type ChangeGraph, changeAt } from "./change-graph.ts";
import { nodeAt, parentRows } from "./topology.ts";

/** An unfinished task and what keeps it from being begun. */
interface TaskReadiness {
  readonly task: Change;
  /** True when an agent can begin it now: it is open, without conflicts, and nothing blocks it. */
  readonly ready: boolean;
  /** The nearest unfinished tasks below it; further ones block these. */
  readonly blockedBy: readonly Change[];
}

const isUnfinishedTask = ({ metadata }: Change): boolean =>
  metadata.kind === "task" && metadata.status !== "done" && metadata.status !== "abandoned";

const nobody: readonly Change[] = [];

/**
 * Every unfinished task with what blocks it, in the order in which they are to be worked on. (HOX-1.2)
 * Says of a graph in memory what the revset `ready()` says of a repository: open roots of the unfinished tasks,
 * without conflicts. Ancestors that the graph does not show cannot block.
 */
export function readyTasks(graph: ChangeGraph): readonly TaskReadiness[] {
  const tasks: TaskReadiness[] = [];
  // Nearest unfinished tasks at or below each node; most of history shares the one empty list.
  const below: (readonly Change[] | undefined)[] = [];
  for (let row = graph.order.length - 1; row >= 0; row--) {
    const change = changeAt(graph, row);
    if (!change) continue;
    const blockedBy = unionOf(parentRows(graph, row).map((parent) => below[nodeAt(graph, parent)] ?? nobody));
    const node = nodeAt(graph, row);
    if (!isUnfinishedTask(change)) {
      if (blockedBy.length > 0) below[node] = blockedBy;
      continue;
    }
    below[node] = [change];
    const ready =
      change.metadata.status === "open" && !(change.conflict && !change.immutable) && blockedBy.length === 0;
    tasks.push({ task: change, ready, blockedBy });
  }
  return tasks.sort((a, b) => compareTasks(a.task, b.task));
}

function unionOf(lists: readonly (readonly Change[])[]): readonly Change[] {
  const filled = lists.filter((list) => list.length > 0);
  if (filled.length <= 1) return filled[0] ?? nobody;
  return [...new Set(filled.flat())];
}
