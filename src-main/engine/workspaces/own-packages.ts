/** Folders of packages that a workspace shares with others, made its own for who works in it outside the sandbox. */
import { rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { copyLayer, removeWorkspaceLayer, workspaceLayers } from "../../tools/sandbox/layers.ts";

/**
 * Puts into a workspace what its commands see of folders that it shares, with what they changed there. From then on it
 * has copies of its own. No command may run in it meanwhile.
 *
 * @param show told before each copy
 */
export async function ownPackages(
  workspace: string,
  options: { readonly signal: AbortSignal; readonly show: (name: string) => void },
): Promise<void> {
  const { signal, show } = options;
  for (const layer of workspaceLayers(workspace)) {
    const { destination } = layer;
    show(destination);
    // Beside the workspace until it is whole: half a copy must be taken for none, and jj must not see it.
    const draft = `${workspace}.copy`;
    try {
      await rm(draft, { recursive: true, force: true });
      await copyLayer(workspace, layer, draft, signal);
      await rmdir(join(workspace, destination));
      await rename(draft, join(workspace, destination));
      await removeWorkspaceLayer(workspace, destination);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }
}
