/**
 * Packages that an installation of this run left: copied into every workspace and checkout, instead of those
 * of the user's folder, which are older.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { InstalledPackages } from "#shared/run/events.ts";
import { inParent } from "../../disk/folder.ts";
import { removeEntry } from "../../disk/remove-tree.ts";
import { removeWorkspaceLayer } from "../../tools/sandbox/layers.ts";
import type { Run } from "../ports.ts";

/** What the last installation of the run left, or null. */
export function installedPackages(run: Pick<Run, "facts">): InstalledPackages | null {
  const kept = run.facts.packages;
  return kept !== null && existsSync(kept.folder) ? kept : null;
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
