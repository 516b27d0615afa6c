/** The folder that a person opened: where its files stand, and how they are brought to another change. */
import { JjError } from "./errors.ts";
import { isManagedByGit } from "./git-checkout.ts";
import { onlyVisible } from "./only-visible.ts";
import type { OpenedFolder } from "./ports/working-copies.ts";
import type { WriteQueue } from "./queue.ts";
import type { Reader } from "./reader.ts";

export interface OpenedFolderParts {
  readonly root: string;
  readonly queue: WriteQueue;
  readonly reader: Pick<Reader, "query">;
  readonly changedPaths: (commit: string) => Promise<readonly string[]>;
}

/** Makes the calls on the opened folder. Where Git holds it they are refused: its files are not jj's to move. */
export function createOpenedFolder({ root, queue, reader, changedPaths }: OpenedFolderParts): OpenedFolder {
  return {
    async recordOpened() {
      refuseWhereHeldByGit(root);
      const { operation } = await queue.exclusive(() =>
        queue.write({ args: ["util", "snapshot"], folder: root, options: {} }),
      );
      const [change] = await reader.query("@", { operation, limit: 1 });
      if (!change) throw gone(root);
      return { change, paths: await changedPaths(change.commitId) };
    },
    async startOn(commit, options) {
      refuseWhereHeldByGit(root);
      return queue.exclusive(async () => {
        const { operation } = await queue.write({
          args: ["new", "--", onlyVisible(commit)],
          folder: root,
          options: options ?? {},
        });
        return { operation };
      });
    },
  };
}

function refuseWhereHeldByGit(root: string): void {
  if (!isManagedByGit(root)) return;
  throw new JjError({
    kind: "in-the-way",
    message: "Git controls the files of this folder, so jj does not move them.",
    remedy: "Switch with Git: `git switch <branch>`.",
  });
}

const gone = (root: string): JjError =>
  new JjError({
    kind: "rewritten",
    message: `${root} no longer has a working-copy change.`,
    remedy: "Run `jj workspace update-stale` or `jj new` in it.",
  });
