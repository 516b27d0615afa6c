import { isManagedByGit, readGitCheckout } from "./git-checkout.ts";
import type { WriteQueue } from "./queue.ts";
import type { Repository } from "./repository-interface.ts";
import { ofRuns } from "./run-revsets.ts";

export interface GitImportParts {
  readonly root: string;
  readonly queue: WriteQueue;
  readonly reader: Pick<Repository, "query">;
}

const workOfRuns = `mutable() & ${ofRuns}`;

/** Makes the part that shows jj what Git did to branches, tags and remotes. See the port. */
export function createGitImport({ root, queue, reader }: GitImportParts): Repository["importGit"] {
  const holdsWorkOfRuns = async (): Promise<boolean> =>
    (await reader.query(workOfRuns, { limit: 1 })).length > 0;

  /** jj has its own way with a HEAD that Git moved, files included, and it is the whole one. */
  const isHeadWhereJjLeftIt = async (): Promise<boolean> => {
    const checkout = readGitCheckout(root);
    if (checkout === null || isManagedByGit(root)) return true;
    const below = await reader.query("parents(@)");
    return below.some(({ commitId }) => commitId === checkout.detached);
  };

  return async ({ keepsUnreachable, ...options } = {}) => {
    const keepsAll = keepsUnreachable ?? (await holdsWorkOfRuns());
    const leavesFiles = await isHeadWhereJjLeftIt();
    const { operation, hasChanged } = await queue.exclusive(() =>
      queue.write({
        args: [
          ...(keepsAll ? ["--config", "git.abandon-unreachable-commits=false"] : []),
          ...(leavesFiles ? ["--ignore-working-copy"] : []),
          ...["git", "import"],
        ],
        folder: root,
        options,
      }),
    );
    return { operation, hasChanged };
  };
}
