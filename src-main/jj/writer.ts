import { createDescriptionWrites } from "./description-writes.ts";
import { createGraphMoves } from "./graph-moves.ts";
import { createMoveBookmarkBack } from "./move-bookmark-back.ts";
import { createNewChanges } from "./new-changes.ts";
import type { GraphWriter } from "./ports/graph-writer.ts";
import { createRepairs } from "./repairs.ts";
import { createFileResolution } from "./resolve-file.ts";
import type { WriterParts } from "./writer-parts.ts";

/** Makes the writing half of a repository, except workspaces. Every call goes through the one queue. */
export const createWriter = (parts: WriterParts): Omit<GraphWriter, "restoreEverything"> => ({
  ...createNewChanges(parts),
  ...createDescriptionWrites(parts),
  ...createGraphMoves(parts),
  ...createMoveBookmarkBack(parts),
  ...createRepairs(parts),
  ...createFileResolution(parts),
});
