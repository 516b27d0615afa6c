/** Folders of packages that a workspace shares with others, made its own for who works in it outside the sandbox. */
import { inParent } from "../../disk/in-parent.ts";
import { removeTree } from "../../disk/remove-tree.ts";
import { copyLayer, removeWorkspaceLayer, workspaceLayers } from "../../tools/sandbox/layers.ts";
import { moveInto } from "./workspace-caches.ts";

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
    // Beside the workspace until it is whole: half a copy must be taken for none, and jj must not see it.
    const draft = `${workspace}.copy`;
    try {
      await inParent(workspace, destination, async (parent, leaf) => {
        if (!(await parent.statOrNull(leaf))?.isDirectory()) return;
        show(destination);
        await removeTree(draft);
        await copyLayer(workspace, layer, draft, signal);
        await parent.removeEmptyFolder(leaf);
        await moveInto(draft, parent, leaf);
      });
      // Where its place is gone, no command sees it any more, and a person who works here does not either.
      await removeWorkspaceLayer(workspace, destination);
    } finally {
      await removeTree(draft);
    }
  }
}
