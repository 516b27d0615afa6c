/**
 * Packages that an installation of this run left: brought into every workspace and checkout, in place of those of the
 * person's own folder, which know nothing of it.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { inParent } from "../../disk/in-parent.ts";
import { removeEntry } from "../../disk/remove-tree.ts";
import { removeWorkspaceLayer } from "../../tools/sandbox/layers.ts";
import type { Run } from "../ports.ts";

export interface InstalledPackages {
  /** Another one with each installation. */
  readonly id: string;
  /** Where they lie, laid out as the repository is; beside it what commands left in HOME and in caches. */
  readonly folder: string;
  /** Folders of packages in it, from its root. */
  readonly names: readonly string[];
}

const fact = "installed-packages";

/** What the last installation of the run left, or null. */
export function installedPackages(run: Pick<Run, "journal" | "id">): InstalledPackages | null {
  const kept = run.journal.fact<InstalledPackages>(run.id, fact) ?? null;
  return kept !== null && existsSync(kept.folder) ? kept : null;
}

/** From now on all workspaces have these. What earlier installations left is not needed any more. */
export function keepInstalledPackages(run: Run, packages: InstalledPackages): void {
  run.journal.setFact(run.id, fact, packages);
}

/** Where a run keeps what its installations left. */
export const packagesFolder = (stateFolder: string, run: string): string =>
  join(stateFolder, "packages", run);

/** Takes folders of packages out of a workspace, so that others can be brought there. No link is followed. */
export async function removePackages(workspace: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await inParent(workspace, name, removeEntry);
    await removeWorkspaceLayer(workspace, name);
  }
}
