/** The queue as the user sees it: four bands of tasks in their order, pure. */
import type { Priority } from "#shared/domain/change-metadata/metadata.ts";
import { priorities } from "#shared/domain/change-metadata/metadata.ts";
import { compareTasks, priorityOf, ranksBetween } from "#shared/domain/change-metadata/rank.ts";
import type { Change } from "#shared/graph/change.ts";

export interface Band {
  readonly priority: Priority;
  readonly tasks: readonly Change[];
}

const finished: ReadonlySet<string | undefined> = new Set(["done", "abandoned"]);

/** Unfinished tasks by priority (none counts as medium) and order. */
export function bandsOf(changes: readonly Change[]): readonly Band[] {
  const tasks = changes.filter(
    ({ metadata, immutable }) => metadata.kind === "task" && !immutable && !finished.has(metadata.status),
  );
  return priorities.map((priority) => ({
    priority,
    tasks: tasks.filter((task) => priorityOf(task.metadata) === priority).sort(compareTasks),
  }));
}

/** A place in the queue: before the task at `index` of a band; its length means the end. */
export interface Place {
  readonly priority: Priority;
  readonly index: number;
}

/** A move that the user asked for and that the graph does not show yet. */
export interface PendingMove {
  readonly changeId: string;
  readonly priority: Priority;
  readonly above: string | null;
  readonly below: string | null;
  /** Tasks between `above` and it that have no rank yet, in order; they get one with it. */
  readonly unranked: readonly string[];
}

/** The changes with the priority and the rank that the host will write for pending moves. */
export const withPending = (changes: readonly Change[], moves: readonly PendingMove[]): readonly Change[] =>
  moves.reduce((now, { changeId, priority, above, below, unranked }) => {
    const rankOf = (id: string | null) => now.find((one) => one.changeId === id)?.metadata.rank;
    const ranks = ranksBetween(rankOf(above), rankOf(below), unranked.length + 1);
    const rankNow = new Map([...unranked, changeId].map((id, at) => [id, ranks[at] ?? ""]));
    return now.map((change) => {
      const rank = rankNow.get(change.changeId);
      if (rank === undefined) return change;
      const moved = change.changeId === changeId ? { priority } : {};
      return { ...change, metadata: { ...change.metadata, ...moved, rank } };
    });
  }, changes);

/** Position of a task; null where it is not in the queue. */
export function queuePlace(bands: readonly Band[], changeId: string): Place | null {
  for (const band of bands) {
    const index = band.tasks.findIndex((task) => task.changeId === changeId);
    if (index >= 0) return { priority: band.priority, index };
  }
  return null;
}

/** The move that puts a task at a position; null when it is already there. */
export function moveTo(bands: readonly Band[], changeId: string, to: Place): PendingMove | null {
  const from = queuePlace(bands, changeId);
  if (!from) return null;
  const same = from.priority === to.priority;
  if (same && (to.index === from.index || to.index === from.index + 1)) return null;
  const band = bands.find((one) => one.priority === to.priority);
  const others = (band?.tasks ?? []).filter((task) => task.changeId !== changeId);
  const index = same && to.index > from.index ? to.index - 1 : to.index;
  // What has no rank comes last, so those above it without one are all that lie between the last ranked one and it.
  const before = others.slice(0, index);
  const unranked = before.filter(({ metadata }) => !metadata.rank);
  return {
    changeId,
    priority: to.priority,
    above: before[before.length - unranked.length - 1]?.changeId ?? null,
    below: others[index]?.changeId ?? null,
    unranked: unranked.map((task) => task.changeId),
  };
}

/** One step up or down by keyboard, over the edge of a band into the next; null at either end. */
export function stepFrom(bands: readonly Band[], changeId: string, by: -1 | 1): Place | null {
  const from = queuePlace(bands, changeId);
  if (!from) return null;
  const band = bands.find((one) => one.priority === from.priority);
  const inBand = band?.tasks.length ?? 0;
  if (by === -1 && from.index > 0) return { priority: from.priority, index: from.index - 1 };
  if (by === 1 && from.index < inBand - 1) return { priority: from.priority, index: from.index + 2 };
  const next = priorities[priorities.indexOf(from.priority) + by];
  if (!next) return null;
  const length = bands.find((one) => one.priority === next)?.tasks.length ?? 0;
  return { priority: next, index: by === -1 ? length : 0 };
}
