import { createDiffReads } from "./diff-reads.ts";
import { createFileReads } from "./file-reads.ts";
import { createGraphReads } from "./graph-reads.ts";
import type { ContentReader } from "./ports/content-reader.ts";
import type { GraphReader } from "./ports/graph-reader.ts";
import type { Jj } from "./process.ts";
import { pinned, type ReadAccess } from "./read-access.ts";

/** The reading half of a repository, as jj answers it. Nothing here can publish an operation. */
export type Reader = Pick<GraphReader, "readGraph" | "readDelta" | "query"> &
  Omit<ContentReader, "changedPaths" | "missingObjects" | "lfsFiles" | "lfsContent">;

/** Makes the reading half. `current` answers the operation that a read without one is pinned to. */
export function createReader(jj: Jj, root: string, current: () => Promise<string>): Reader {
  const access: ReadAccess = {
    jj,
    root,
    current,
    at: async (operation) => pinned(root, operation ?? (await current())),
  };
  return { ...createGraphReads(access), ...createDiffReads(access), ...createFileReads(access) };
}
