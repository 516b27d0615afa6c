import type { Change } from "#shared/graph/change.ts";
import { changesNamed } from "../graph-memory/cached-graph.ts";
import type { GraphMemory } from "../graph-memory/graph-memory.ts";
import { onlyVisible } from "../process/only-visible.ts";
import type { Reader } from "./reader.ts";

const fullId = /^[k-z]{32}$/;

/** Whether a name is the whole id of a change, which can mean nothing else. */
export const isFullId = (name: string): boolean => fullId.test(name);

/**
 * What each of some names means at an operation; many full ids are one question, and mostly none to jj.
 * @returns by name: no change, one, or several where it is divergent
 */
export async function readNamed(
  { reader, memory }: { readonly reader: Pick<Reader, "query">; readonly memory: GraphMemory },
  names: readonly string[],
  operation: string,
): Promise<ReadonlyMap<string, readonly Change[]>> {
  if (names.every(isFullId)) {
    const graph = await memory.known(operation);
    const known = graph && changesNamed(graph, names);
    if (known) return new Map(known.map((change) => [change.changeId, [change]]));
    if (names.length > 1)
      return Map.groupBy(
        await reader.query([...new Set(names)].join(" | "), { operation }),
        ({ changeId }) => changeId,
      );
  }
  const read = new Map<string, readonly Change[]>();
  for (const name of names) read.set(name, await reader.query(onlyVisible(name), { operation, limit: 2 }));
  return read;
}
