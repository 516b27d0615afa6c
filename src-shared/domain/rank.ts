import { generateKeyBetween, generateNKeysBetween } from "fractional-indexing";
import { type Metadata, type Priority, priorities } from "./metadata.ts";

/** True when `rank` is one that this module wrote, or that could stand among those it writes. */
export function isRank(rank: string): boolean {
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
 * @param below rank of the task below, null at the bottom or when it has none.
 *   A rank that a person mistyped is treated as none; of two in the wrong order, or two equal ones, only `above` counts.
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

export interface Ranked {
  readonly changeId: string;
  readonly metadata: Metadata;
}

/**
 * The order in which tasks are worked on: priority, then rank (tasks without one last), then change id, so that
 * every reader finds the same order. (HOX-2.1a)
 */
export function compareTasks(a: Ranked, b: Ranked): number {
  const byPriority = priorities.indexOf(priorityOf(a.metadata)) - priorities.indexOf(priorityOf(b.metadata));
  if (byPriority !== 0) return byPriority;
  const left = a.metadata.rank;
  const right = b.metadata.rank;
  if (left !== right) {
    if (left === undefined) return 1;
    if (right === undefined) return -1;
    return left < right ? -1 : 1;
  }
  return a.changeId < b.changeId ? -1 : a.changeId > b.changeId ? 1 : 0;
}
