import { JjError } from "./errors.ts";
import { readGitCheckout } from "./git-checkout.ts";
import { onlyVisible, visibleAmong } from "./only-visible.ts";
import type { GraphWriter } from "./ports/graph-writer.ts";
import { pinned, present } from "./read-access.ts";
import { quoted } from "./row-template.ts";
import { beginUnpublished, messageArgument } from "./unpublished.ts";
import { leaveFiles, publish, type RepositoryParts, writeOne } from "./writer-parts.ts";

/** Makes the writes that move changes and names. */
export function createGraphMoves(
  parts: RepositoryParts,
): Pick<GraphWriter, "rebase" | "squash" | "restore" | "abandon" | "setBookmark" | "deleteBookmark"> {
  return {
    rebase: ({ revisions, source, onto = [], insertAfter = [], insertBefore = [], ...options }) =>
      writeOne(
        parts,
        [
          "rebase",
          ...(revisions === undefined ? [] : ["-r", onlyVisible(revisions)]),
          ...(source === undefined ? [] : ["-s", onlyVisible(source)]),
          ...onto.flatMap((each) => ["-o", onlyVisible(each)]),
          ...insertAfter.flatMap((each) => ["-A", onlyVisible(each)]),
          ...insertBefore.flatMap((each) => ["-B", onlyVisible(each)]),
        ],
        options,
      ),

    squash({ from, into, description, ...options }) {
      const message =
        description === undefined ? ["--use-destination-message"] : [messageArgument(description)];
      const args = ["squash", "--from", onlyVisible(from), "--into", onlyVisible(into), ...message];
      return writeOne(parts, args, options, {});
    },

    restore: (change, options) => writeOne(parts, ["restore", "--changes-in", onlyVisible(change)], options),

    abandon: (change, options) => {
      const revset =
        typeof change === "string" ? onlyVisible(change) : visibleAmong(change.map(present).join(" | "));
      return writeOne(parts, ["abandon", "-r", revset], options, {});
    },

    setBookmark(name, to, options) {
      const backwards = options?.allowBackwards ? ["-B"] : [];
      // jj parses a name as a symbol: "fix#12" is a fine branch of Git, and a syntax error without quotes.
      const args = ["bookmark", "set", "-r", onlyVisible(to), ...backwards, "--", JSON.stringify(name)];
      return writeOne(parts, args, options);
    },

    deleteBookmark(name, options) {
      const names = typeof name === "string" ? [name] : name;
      const args = ["bookmark", "delete", "--", ...names.map((each) => `exact:${JSON.stringify(each)}`)];
      return writeOne(parts, args, options);
    },
  };
}

/**
 * Moves a bookmark where no rule of jj's protects what others put on it meanwhile: backwards, or away.
 *
 * The move is computed on the operation at which the bookmark was seen. If it is moved concurrently, jj keeps
 * a conflict of both; then ours is reverted.
 */
export function createMoveBookmarkBack(parts: RepositoryParts): Pick<GraphWriter, "moveBookmarkBack"> {
  const { jj, root, queue, reader, settle } = parts;
  const standsAt = async (branch: string, operation: string): Promise<readonly string[]> =>
    (await reader.readGraph({ revset: "none()", operation })).refs.bookmarks[branch] ?? [];
  const isConflicted = async (branch: string, operation: string): Promise<boolean> => {
    const listed = await jj.run({
      args: [
        ...pinned(root, operation),
        ...["bookmark", "list", "-T", 'if(!self.remote() && self.conflict(), "conflict ")'],
        ...["--", `exact:${quoted(branch)}`],
      ],
      cwd: root,
    });
    return listed.stdout.includes("conflict");
  };

  return {
    moveBookmarkBack: ({ branch, from, to }, options) =>
      queue.exclusive(async () => {
        const now = await settle();
        if ((await standsAt(branch, now)).join() !== (from ?? "")) throw bookmarkMoved(branch);
        const row = beginUnpublished(jj, root, now, options);
        await row.run(
          to === null
            ? ["bookmark", "delete", "--", `exact:${quoted(branch)}`]
            : ["bookmark", "set", "-B", "-r", to, "--", quoted(branch)],
        );
        const operation = await publish(parts, row, options);
        const hasCrossed = await isConflicted(branch, await settle());
        if (hasCrossed)
          await queue.write({ args: [leaveFiles, "op", "revert", row.operation()], folder: root, options });
        // Published without a look at the folder, so that Git has not heard of it where both work there.
        if (readGitCheckout(root) !== null)
          await queue.write({ args: [leaveFiles, "git", "export"], folder: root, options });
        if (hasCrossed) throw bookmarkMoved(branch);
        return { operation };
      }),
  };
}

export const bookmarkMoved = (branch: string, stderr = ""): JjError =>
  new JjError({
    kind: "rewritten",
    message: `${branch} was just moved by another process.`,
    remedy: "Check it again. Nothing was changed.",
    stderr,
  });
