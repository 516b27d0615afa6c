/** Folders of packages that a workspace shares with others, made its own for who works in it outside the sandbox. */
import { inParent } from "../../disk/folder.ts";
import { removeTree } from "../../disk/remove-tree.ts";
import { copyLayer, removeWorkspaceLayer, workspaceLayers } from "../../tools/sandbox/layers.ts";
import { moveInto } from "./workspace-caches.ts";

/**
 * Replaces a workspace's shared folders by its own copies, including its commands' changes to them. No
 * command may run in it meanwhile.
 *
 * @param show called before each copy
 */
export async function ownPackages(
  workspace: string,
  options: { readonly signal: AbortSignal; readonly show: (name: string) => void },
): Promise<void> {
  const { signal, show } = options;
  for (const layer of workspaceLayers(workspace)) {
    const { destination } = layer;
    // Outside the workspace until it is complete: jj and others must not see a partial copy.
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
      // If its path is gone, no command sees it any more, and neither does the user.
      await removeWorkspaceLayer(workspace, destination);
    } finally {
      await removeTree(draft);
    }
  }
}
