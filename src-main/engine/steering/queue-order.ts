import { type Priority, priorities } from "#shared/domain/metadata.ts";

/** Who gets the next free agent: priority first, then rank, then name. */
export function byPriorityAndRank(
  one: { readonly priority: Priority | null; readonly rank: string; readonly name: string },
  other: { readonly priority: Priority | null; readonly rank: string; readonly name: string },
): number {
  const place = (priority: Priority | null) =>
    priority === null ? priorities.length : priorities.indexOf(priority);
  return (
    place(one.priority) - place(other.priority) || order(one.rank, other.rank) || order(one.name, other.name)
  );
}

/** Fractional indexes are compared as plain strings, never by locale. */
const order = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
