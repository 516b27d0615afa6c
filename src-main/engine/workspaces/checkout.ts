import { cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { checkoutName } from "#shared/domain/checkout-name.ts";
import { copyFolder } from "../../tools/copy-folder.ts";
import type { Checkout } from "../../validation/validation-interface.ts";
import type { Run } from "../run/run.ts";

/**
 * Folders with exactly the files of one commit: jj writes them once into a workspace of its own, which is forgotten
 * again, and everyone who judges gets a copy. Ignored files and foreign repositories of an agent's folder never get here.
 */
export async function freshCheckouts(
  run: Run,
  commit: string,
  {
    prepare = async () => undefined,
    signal = run.ending.signal,
  }: {
    /** Makes the files ready for checks, once for all copies. */
    readonly prepare?: (folder: string) => Promise<void>;
    readonly signal?: AbortSignal;
  } = {},
): Promise<{ readonly checkout: () => Promise<Checkout>; readonly remove: () => Promise<void> }> {
  const folder = join(run.stateFolder, "checkouts", run.id, commit.slice(0, 16));
  const pristine = join(folder, "pristine");
  const name = checkoutName(commit);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const { refs } = await run.repository.readGraph({ revset: "none()" });
  if (refs.workspaces[name] !== undefined)
    await run.repository.removeWorkspace(run.repository.workspace(name, pristine), { actor: "hox" });
  const { workspace } = await run.repository.addWorkspace({
    name,
    folder: pristine,
    change: commit,
    actor: "hox",
  });
  const files = join(folder, "files");
  await cp(pristine, files, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => path !== join(pristine, ".jj"),
  });
  await run.repository.removeWorkspace(workspace, { actor: "hox" });
  await prepare(files);

  let copies = 0;
  return {
    async checkout() {
      copies += 1;
      const copy = join(folder, `copy-${copies}`);
      await copyFolder(files, copy, signal);
      return { folder: copy, remove: () => rm(copy, { recursive: true, force: true }) };
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
