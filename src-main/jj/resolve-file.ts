import { randomUUID } from "node:crypto";
import { JjError } from "./errors.ts";
import { isManagedByGit } from "./git-checkout.ts";
import { onlyVisible } from "./only-visible.ts";
import type { GraphWriter } from "./ports/graph-writer.ts";
import { exactFile } from "./read-access.ts";
import { beginUnpublished } from "./unpublished.ts";
import { bringUpToDate } from "./update-stale.ts";
import { publish, type WriterParts } from "./writer-parts.ts";

/** Makes the write of one file into a change that is on the graph. */
export const createFileResolution = (parts: WriterParts): Pick<GraphWriter, "resolveFile"> => ({
  resolveFile: ({ change, path, as, ...options }) =>
    parts.queue.exclusive(async () => {
      const { jj, root, store, queue, reader, settle } = parts;
      const revision = onlyVisible(change);
      const before = await settle();
      // What a person has open is recorded before its ground moves. Where Git holds the folder its files stay as they are.
      const isOpen =
        !isManagedByGit(root) &&
        (await reader.query(`@ & (${revision}::)`, { operation: before, limit: 1 })).length > 0;
      if (isOpen) await queue.write({ args: ["util", "snapshot"], folder: root, options });
      const row = beginUnpublished(jj, root, isOpen ? await settle() : before, options);
      // Where a side says what stands there now, jj would call it by the name of that; so first nothing says the same.
      if (as.kind === "conflict") await row.writeFiles(revision, { [path]: `${randomUUID()}\n` });
      if (as.kind === "text") await row.writeFiles(revision, { [path]: as.text });
      else await row.run(["restore", "--from", as.commit, "--into", revision, "--", exactFile(path)]);
      const operation = await publish(parts, row, options);
      if (isOpen)
        await bringUpToDate({ jj, store }, root, options).catch((error: unknown) => {
          // The file is written. Two people who rewrote the open commit at the same moment have two of it, which jj shows.
          if (!(error instanceof JjError) || error.kind !== "divergent") throw error;
        });
      return { operation };
    }),
});
