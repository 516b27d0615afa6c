import { generateKeyBetween, generateNKeysBetween } from "fractional-indexing";
import { type Metadata, type Priority, priorities } from "./metadata.ts";

/** True if `rank` was written by this module, or is between two that were. */
function isRank(rank: string): boolean {
  // The package checks the form of a key, but takes any character for a digit.
  if (!/^[0-9A-Za-z]+$/.test(rank)) return false;
  try {
    generateKeyBetween(rank, null);
    return true;
  } catch {
    return false;
  }
}

const usable = (rank: string | null | undefined): string | null =>
  rank !== null && rank !== undefined && isRank(rank) ? rank : null;

/**
 * A rank that sorts between two neighbours, so that one drag rewrites one change and no other. (CARD-7)
 * @param above rank of the task above, null at the top or when it has none.
 * @param below rank of the task below, null at the bottom or when it has none. A mistyped rank is treated as
 *   none; of two in the wrong order, or two equal ones, only `above` counts.
 */
export function rankBetween(above: string | null | undefined, below: string | null | undefined): string {
  const low = usable(above);
  const high = usable(below);
  return generateKeyBetween(low, low !== null && high !== null && low >= high ? null : high);
}

/** `count` ranks in ascending order between two neighbours: for a plan's tasks all at once. */
export function ranksBetween(
  above: string | null | undefined,
  below: string | null | undefined,
  count: number,
): readonly string[] {
  const low = usable(above);
  const high = usable(below);
  return generateNKeysBetween(low, low !== null && high !== null && low >= high ? null : high, count);
}

/** A task without a priority is treated as medium. */
export const priorityOf = (metadata: Metadata): Priority => metadata.priority ?? "medium";

/** What decides a task's position in the queue. */
export interface Queued {
  readonly id: string;
  /** Nothing: treated as medium. */
  readonly priority?: Priority | null | undefined;
  /** Nothing, or an empty text: after those that have one. */
  readonly rank?: string | null | undefined;
}

/**
 * The order in which work is started: priority, then rank (none last), then id, so that it is the same for
 * every reader. (HOX-2.1a)
 */
export function compareQueued(a: Queued, b: Queued): number {
  const place = ({ priority }: Queued): number => priorities.indexOf(priority ?? "medium");
  const [left, right] = [a.rank || null, b.rank || null];
  if (place(a) !== place(b)) return place(a) - place(b);
  if (left !== right) {
    if (left === null) return 1;
    if (right === null) return -1;
    return left < right ? -1 : 1;
  }
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

interface Ranked {
  readonly changeId: string;
  readonly metadata: Metadata;
}

/** The same for tasks on the graph. */
export const compareTasks = (a: Ranked, b: Ranked): number => compareQueued(queuedTask(a), queuedTask(b));

const queuedTask = ({ changeId, metadata: { priority, rank } }: Ranked): Queued => ({
  ...{ id: changeId, priority, rank },
});
