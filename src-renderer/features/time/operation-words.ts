import type { Operation } from "#shared/graph/change.ts";

export interface Actor {
  readonly name: string;
  readonly operations: number;
}

/** Who caused operations, the busiest first. */
export function actorsOf(operations: readonly Operation[]): readonly Actor[] {
  const counts = new Map<string, number>();
  for (const { actor } of operations) counts.set(actor, (counts.get(actor) ?? 0) + 1);
  return [...counts]
    .map(([name, count]) => ({ name, operations: count }))
    .sort((a, b) => b.operations - a.operations || a.name.localeCompare(b.name));
}
