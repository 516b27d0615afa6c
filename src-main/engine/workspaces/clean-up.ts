/** Removes the workspaces of runs that are over; their work is in their changes. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CleanUp } from "#shared/contract/commands/run.ts";
import { removeTree } from "../../disk/remove-tree.ts";
import type { Repository } from "../../jj/ports/repository-interface.ts";
import { JjError } from "../../jj/process/errors.ts";
import type { Journal } from "../../journal/journal.ts";
import { removeWorkspaceData } from "../../tools/sandbox/workspace-home.ts";
import { explain } from "../engine-errors.ts";
import { failureOf } from "../kernel/best-effort.ts";
import { recordedState } from "../recorded-state.ts";
import { checkoutsFolder } from "./checkout.ts";
import { packagesFolder } from "./installed-packages.ts";
import { removeUnusedCopies } from "./shared-copies.ts";

/** Folders of workers of these runs that are still there. */
export const workspacesLeft = (journal: Journal, runs: readonly string[]): readonly string[] =>
  runs.flatMap((run) =>
    Object.values(recordedState(journal, run).workers).flatMap(({ folder }) =>
      folder !== null && existsSync(folder) ? [folder] : [],
    ),
  );

/**
 * Snapshots every workspace of these runs and then deletes it with its folder. One with content that jj does
 * not record (a file too large, a nested repository) is kept, with the reason, and so is one that cannot be
 * removed.
 *
 * @param gone called for each worker whose workspace was deleted
 */
export async function removeWorkspaces(
  repository: Repository,
  journal: Journal,
  runs: readonly string[],
  gone: (run: string, worker: string) => void,
  stateFolder: string,
): Promise<Pick<CleanUp, "removed" | "kept">> {
  const refs = await repository.refs();
  const removed: string[] = [];
  const kept: { folder: string; reason: string; remedy: string }[] = [];
  for (const run of runs) {
    for (const folder of [packagesFolder(stateFolder, run), checkoutsFolder(stateFolder, run)])
      await failureOf(() => removeTree(folder));
    for (const { name, folder } of Object.values(recordedState(journal, run).workers)) {
      if (folder === null) continue;
      if (!existsSync(folder)) {
        await failureOf(() => removeWorkspaceData(folder));
        continue;
      }
      const known = refs.workspaces[name] !== undefined;
      if (!known && existsSync(join(folder, ".jj"))) {
        // Forgotten by hand, so its files may not be recorded.
        const reason = "jj no longer knows this workspace, so its files may exist nowhere else.";
        kept.push({ folder, reason, remedy: "Copy what you need, then delete it." });
        continue;
      }
      const failed = await failureOf(
        async () => {
          // Forgotten already where only the rest of its files is left.
          if (known && existsSync(join(folder, ".jj")))
            await repository.removeWorkspace(repository.workspace(name, folder), { actor: "hox" });
          else await removeTree(folder);
          await removeWorkspaceData(folder);
        },
        (error) => !(error instanceof JjError && error.kind === "unsaved-files"),
      );
      if (failed === null) {
        removed.push(folder);
        gone(run, name);
      } else {
        const { message: reason, remedy } = refusal(failed.error, folder);
        kept.push({ folder, reason, remedy });
      }
    }
  }
  await removeUnusedCopies(stateFolder);
  return { removed, kept };
}

/** What jj says for itself; the system names a file and nothing else. */
const refusal = (error: unknown, folder: string): { readonly message: string; readonly remedy: string } =>
  error instanceof JjError
    ? explain(error)
    : {
        message: `It could not be removed: ${explain(error).message}`,
        remedy: `Its work is recorded. Check which process uses it or who owns it, then clean up again or delete ${folder}.`,
      };
