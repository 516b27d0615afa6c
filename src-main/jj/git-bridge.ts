import { gitBranches, readGitStand, remoteBranchWith, signsCommits } from "./git-branches.ts";
import { isManagedByGit, readGitCheckout } from "./git-checkout.ts";
import { createGitImport } from "./git-import.ts";
import { runGit } from "./git-process.ts";
import { createBranchMoves } from "./move-branch.ts";
import { gitFolderOf } from "./op-heads.ts";
import { isPartialClone, objectsMissing } from "./partial-clone.ts";
import type { WriteQueue } from "./queue.ts";
import type { Repository } from "./repository-interface.ts";

export interface GitBridgeParts {
  readonly root: string;
  readonly queue: WriteQueue;
  readonly reader: Pick<Repository, "query" | "refs" | "isAncestor">;
  readonly writer: Pick<Repository, "setBookmark" | "deleteBookmark" | "moveBookmarkBack">;
}

export type GitBridge = Pick<
  Repository,
  | "importGit"
  | "branches"
  | "removeBranches"
  | "gitStand"
  | "refusalToMove"
  | "moveBranch"
  | "pushedTo"
  | "missingObjects"
  | "signsCommits"
>;

/** Makes the part that brings Git's branches and the person's folder together with jj's view of them. */
export function createGitBridge({ root, queue, reader, writer }: GitBridgeParts): GitBridge {
  const importGit = createGitImport({ root, queue, reader });

  return {
    importGit,
    ...createBranchMoves({ root, reader, writer, importGit }),

    branches: async () => (isManagedByGit(root) ? gitBranches(root) : (await reader.refs()).bookmarks),

    async removeBranches(names, options) {
      const { bookmarks } = await reader.refs();
      const known = names.filter((name) => bookmarks[name] !== undefined);
      if (known.length > 0) await writer.deleteBookmark(known, options);
      // Where jj holds the folder it has told Git by now. Where Git does, each of a person's own jj commands has shown
      // Git what there was.
      if (!isManagedByGit(root)) return;
      const shown = await gitBranches(root);
      const left = names.filter((name) => shown[name] !== undefined);
      for (const name of left)
        await runGit({
          args: ["update-ref", "-d", `refs/heads/${name}`, shown[name]?.[0] ?? ""],
          cwd: root,
        });
      if (left.length > 0) await importGit({ ...options, keepsUnreachable: true });
    },

    gitStand: () => readGitStand(root),

    async pushedTo(commit) {
      if (readGitCheckout(root) !== null) return remoteBranchWith(root, commit);
      const found = await reader.query(`${commit} & ::remote_bookmarks()`, { limit: 1 });
      return found.length > 0 ? "a remote" : null;
    },

    signsCommits: () => signsCommits(root),

    async missingObjects(commit) {
      const folder = await gitFolderOf(root);
      return isPartialClone(folder) && !/^0+$/u.test(commit) ? objectsMissing(folder, commit) : 0;
    },
  };
}
