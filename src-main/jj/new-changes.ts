import { JjError } from "./errors.ts";
import { isManagedByGit } from "./git-checkout.ts";
import { onlyVisible } from "./only-visible.ts";
import type { GraphWriter, NewChange, WriteOptions } from "./ports/graph-writer.ts";
import { beginUnpublished, createdIn, duplicatedIn, messageArgument } from "./unpublished.ts";
import { bringUpToDate } from "./update-stale.ts";

import type { RepositoryParts } from "./writer-parts.ts";
import { leaveFiles, publish } from "./writer-parts.ts";

/** Makes the writes that bring new changes. */
export function createNewChanges(
  parts: RepositoryParts,
): Pick<GraphWriter, "newChange" | "duplicate" | "insertAfter" | "hiddenMerge"> {
  const { jj, root, store, queue, reader, memory, settle } = parts;
  async function make(
    place: readonly string[],
    description: string,
    files: NewChange["files"],
    options: WriteOptions,
    rewrites: string | null,
  ) {
    return queue.exclusive(async () => {
      const hasFiles = files !== undefined && Object.keys(files).length > 0;
      // One argument holds 128 KiB on Linux; a longer description is passed by standard input.
      const long = Buffer.byteLength(description) > 100_000;
      if (!hasFiles && !long) {
        const done = await queue.write({
          args: [
            "new",
            "--no-edit",
            ...(rewrites === null ? [leaveFiles] : []),
            messageArgument(description),
            ...place,
          ],
          folder: root,
          options,
          describes: [],
        });
        return { operation: done.operation, ...createdIn(done) };
      }
      const before = await settle();
      // Record the user's open change before its parents move; otherwise leave their files alone.
      const opened =
        rewrites !== null &&
        // Where Git holds the folder its files stay as they are, whatever jj thinks of them.
        !isManagedByGit(root) &&
        (await reader.query(`@ & descendants(${rewrites})`, { operation: before, limit: 1 })).length > 0;
      if (opened) await queue.write({ args: ["util", "snapshot"], folder: root, options });
      const row = beginUnpublished(jj, root, opened ? await settle() : before, options);
      const { changeId } = createdIn(
        await row.run(["new", "--no-edit", messageArgument(long ? "" : description), ...place]),
      );
      if (long) await row.run(["describe", "--stdin", "-r", changeId], { input: description });
      await row.writeFiles(changeId, files ?? {});
      const commitId =
        (await memory.unpublishedCommit(row.operation(), changeId)) ?? (await row.commitOf(changeId));
      const operation = await publish(parts, row, options);
      if (opened)
        await bringUpToDate({ jj, store }, root, options).catch((error: unknown) => {
          // The change exists. If two users rewrote the open commit concurrently it is divergent, which is
          // theirs to resolve; jj shows both.
          if (!(error instanceof JjError) || error.kind !== "divergent") throw error;
        });
      return { operation, changeId, commitId };
    });
  }

  return {
    newChange: ({ parents, description, files, ...options }) =>
      make(["--", ...new Set(parents.map(onlyVisible))], description, files, options, null),

    duplicate: (copy) => duplicate(parts, copy),

    insertAfter: (base, { description, files, ...options }) =>
      make(["-A", onlyVisible(base)], description, files, options, onlyVisible(base)),

    hiddenMerge: ({ changes, description, ...options }) =>
      queue.exclusive(async () => {
        const row = beginUnpublished(jj, root, await settle(), options);
        const { changeId, commitId } = createdIn(
          await row.run(["new", "--no-edit", messageArgument(description), "--", ...changes]),
        );
        // Only the last operation is published: the merge is gone by then.
        await row.run(["abandon", "--", changeId]);
        return { operation: await publish(parts, row, options), commitId };
      }),
  };
}

/** In the same operation: with its origin's metadata a copy would be taken for the origin. */
function duplicate(
  { queue, root }: RepositoryParts,
  { commit, parents, description, ...options }: Parameters<GraphWriter["duplicate"]>[0],
): ReturnType<GraphWriter["duplicate"]> {
  return queue.exclusive(async () => {
    const done = await queue.write({
      args: [
        "duplicate",
        leaveFiles,
        "--config",
        // A string of TOML that holds a string of jj's template language.
        `templates.duplicate_description=${JSON.stringify(JSON.stringify(description))}`,
        commit,
        ...[...new Set(parents.map(onlyVisible))].flatMap((parent) => ["-o", parent]),
      ],
      folder: root,
      options,
      describes: [],
    });
    return { operation: done.operation, ...duplicatedIn(done) };
  });
}
