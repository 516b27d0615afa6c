/** A bookmark to its remote, after a look at exactly what would move there. (design section 3) */
import { JjError } from "./errors.ts";
import {
  exact,
  type PreviewParts,
  previewPush,
  pushArguments,
  remotesOf,
  trackArguments,
  tryPush,
} from "./preview-push.ts";
import { explainPushError } from "./push-errors.ts";
import type { WriteQueue } from "./queue.ts";
import type { Repository } from "./repository-interface.ts";

/** Makes the part that speaks with remotes. */
export function createPush({
  queue,
  ...parts
}: PreviewParts & { readonly queue: WriteQueue }): Pick<Repository, "previewPush" | "push" | "fetchBranch"> {
  const push: Repository["push"] = async (bookmark, moves, options) => {
    const now = await previewPush(parts, bookmark);
    if (now.remote === null)
      throw new JjError({
        kind: "failed",
        message: "This repository has no remote.",
        remedy: "Add one with `jj git remote add origin <url>`, then push.",
      });
    if (now.moves.join("\n") !== moves.join("\n"))
      throw new JjError({
        kind: "rewritten",
        message: `${bookmark} has changed since the preview.`,
        remedy: "Check the new preview, then push.",
      });
    const write = (args: readonly string[], isPush: boolean) =>
      queue.write({ args, folder: parts.root, isPush, options, describes: [] });
    try {
      const { follows } = await tryPush(parts, bookmark);
      if (follows !== null) await write(trackArguments(bookmark, follows), false);
      const { operation } = await write(pushArguments(bookmark), true);
      return { operation };
    } catch (error) {
      throw explainPushError(error, bookmark);
    }
  };

  const fetchBranch: Repository["fetchBranch"] = async (branch, options) => {
    const remotes = await remotesOf(parts);
    const remote = remotes.find((name) => name === "origin") ?? remotes[0] ?? null;
    if (remote === null) return { remote };
    const from = ["--branch", exact(branch), "--remote", exact(remote)];
    await queue.write({
      args: ["--ignore-working-copy", "git", "fetch", ...from],
      folder: parts.root,
      isPush: true,
      options,
    });
    return { remote };
  };

  return {
    fetchBranch: (...order) => queue.exclusive(() => fetchBranch(...order)),
    previewPush: (bookmark) => previewPush(parts, bookmark),
    push: (...order) => queue.exclusive(() => push(...order)),
  };
}
