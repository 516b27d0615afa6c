import { onlyVisible } from "./only-visible.ts";
import type { GraphWriter } from "./ports/graph-writer.ts";
import { isFullId } from "./read-named.ts";
import { createRestoreDescription } from "./restore-description.ts";
import { createSetMetadata } from "./set-metadata.ts";
import { leaveFiles, type WriterParts } from "./writer-parts.ts";

/** Makes the writes of descriptions. */
export function createDescriptionWrites(parts: WriterParts): Pick<GraphWriter, "describe" | "setMetadata"> {
  const { root, queue, ownWrites, settle } = parts;
  const restoreDescription = createRestoreDescription(parts);
  const setMetadata = createSetMetadata(parts);
  return {
    describe: (change, description, { since, ...options } = {}) =>
      queue.exclusive(async () => {
        if (since !== undefined && (await ownWrites.mayBeDescribedSince(change, since)))
          return { operation: await settle(), described: false };
        const { operation } = await queue.write({
          args: [leaveFiles, "describe", "--stdin", "-r", onlyVisible(change)],
          folder: root,
          options,
          input: description,
          // Another name than the full id may name another change later.
          ...(isFullId(change) ? { describes: [change] } : {}),
        });
        const kept = since === undefined ? null : await restoreDescription(change, since, operation, options);
        return { operation: kept?.operation ?? operation, described: kept === null };
      }),

    setMetadata: (changes, options) => queue.exclusive(() => setMetadata(changes, options)),
  };
}
