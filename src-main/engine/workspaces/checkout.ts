import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { checkoutName } from "#shared/domain/change-metadata/address.ts";
import { removeTree } from "../../disk/remove-tree.ts";
import type { Workspace } from "../../jj/ports/working-copies.ts";
import { JjError } from "../../jj/process/errors.ts";
import { copyFolder } from "../../tools/copy-folder.ts";
import { copyWorkspaceData, makeHome, workspaceDataFolders } from "../../tools/sandbox/workspace-home.ts";
import { explain } from "../engine-errors.ts";
import { failureOf } from "../kernel/best-effort.ts";
import type { Run } from "../ports.ts";

/** The folder of a run's checkouts for judges; anything left there was interrupted. */
export const checkoutsFolder = (stateFolder: string, run: string): string =>
  join(stateFolder, "checkouts", run);

/** A judge's own copy. */
export interface FolderCheckout {
  readonly folder: string;
  remove(): Promise<void>;
}

/** The parts of a run, or of a host without one, that are needed. */
export type CheckoutHost = Pick<
  Run,
  "id" | "runEnded" | "appendTranscript" | "repository" | "stateFolder" | "gitViews"
>;

/**
 * Folders with exactly the files of one commit: jj writes them once into a temporary workspace, and each
 * judge gets a copy. Ignored files and nested repositories of an agent's folder are not in it. Removal never
 * fails: a leftover folder costs disk, and the next checkout of its commit removes it.
 */
export async function freshCheckouts(
  run: CheckoutHost,
  commit: string,
  {
    prepare = async () => undefined,
    signal = run.runEnded.signal,
  }: {
    /** Makes the files ready for checks, once for all copies, when the first one is made. */
    readonly prepare?: (folder: string) => Promise<void>;
    readonly signal?: AbortSignal;
  } = {},
): Promise<{
  /** Has the files of the commit alone until the first copy is made. */
  readonly files: string;
  readonly checkout: () => Promise<FolderCheckout>;
  readonly remove: () => Promise<void>;
}> {
  const folder = join(checkoutsFolder(run.stateFolder, run.id), commit.slice(0, 16));
  const pristine = join(folder, "pristine");
  const name = checkoutName(commit, run.id);
  await removeTree(folder);
  await mkdir(folder, { recursive: true });
  const add = () => addWorkspace(run, name, pristine, commit);
  const { workspace, changeId } = await add().catch(async (error: unknown) => {
    if (!(error instanceof JjError) || error.kind !== "workspace-exists") throw error;
    // Whoever made it last time was killed before it was forgotten.
    await removeTree(pristine);
    await run.repository.removeWorkspace(run.repository.workspace(name, pristine), { actor: "hox" });
    return add();
  });
  const files = join(folder, "files");
  // Nobody has touched it: nothing needs to be recorded before it is forgotten, and no file to be written twice.
  await removeTree(join(pristine, ".jj"));
  await rename(pristine, files);
  if (changeId !== null) await run.repository.abandon(changeId, { actor: "hox" });
  await run.repository.removeWorkspace(workspace, { actor: "hox" });
  await makeHome(files);
  run.gitViews.recorded(files, { commit, isFinished: true });

  const remove = async (gone: string): Promise<void> => {
    run.gitViews.forget(gone);
    const failed = await failureOf(() => removeTree(gone));
    if (failed)
      run.appendTranscript("hox", {
        kind: "notice",
        text: `A temporary checkout could not be removed: ${explain(failed.error).message}`,
      });
  };

  let copies = 0;
  let prepared: Promise<void> | null = null;
  return {
    files,
    async checkout() {
      copies += 1;
      const copy = join(folder, `copy-${copies}`);
      prepared ??= prepare(files);
      await prepared;
      await copyFolder(files, copy, signal);
      await copyWorkspaceData(files, copy, signal);
      run.gitViews.copied(files, copy);
      return {
        folder: copy,
        async remove() {
          await remove(copy);
          for (const dataFolder of workspaceDataFolders(copy)) await remove(dataFolder);
        },
      };
    },
    remove: () => {
      run.gitViews.forget(files);
      return remove(folder);
    },
  };
}

/**
 * On the commit itself, or, where a rewrite has hidden it by now, on a change of nothing but its files: a workspace on
 * it would show it again, and it and all that is below would be divergent.
 */
async function addWorkspace(
  run: CheckoutHost,
  name: string,
  folder: string,
  commit: string,
): Promise<{
  readonly workspace: Workspace;
  /** What has to be abandoned afterwards. */
  readonly changeId: string | null;
}> {
  const add = (change: string) => run.repository.addWorkspace({ name, folder, change, actor: "hox" });
  try {
    return { ...(await add(commit)), changeId: null };
  } catch (error) {
    if (!(error instanceof JjError) || error.kind !== "rewritten") throw error;
    const { workspace } = await add("root()");
    return { workspace, changeId: (await workspace.takeFiles(commit, { actor: "hox" })).changeId };
  }
}
