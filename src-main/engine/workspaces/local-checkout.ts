/** A folder on this machine as a handle. */
import { existsSync, realpathSync } from "node:fs";
import { createCheckRunner } from "../../checks/check-runner.ts";
import { foundChecks } from "../../checks/found-checks.ts";
import type { Config } from "../../config/config-interface.ts";
import { inParent } from "../../disk/folder.ts";
import { removeTree } from "../../disk/remove-tree.ts";
import type { Repository } from "../../jj/ports/repository-interface.ts";
import type { Workspace } from "../../jj/ports/working-copies.ts";
import { cachesLeftOut } from "../../tools/excluded-caches.ts";
import { copyLayer, removeWorkspaceLayer, workspaceLayers } from "../../tools/sandbox/layers.ts";
import { workspaceFiles } from "../../tools/workspace-files.ts";
import type { Run } from "../ports.ts";
import { moveInto } from "./workspace-caches.ts";
import type { CheckoutHandle, WorkspaceHandle } from "./workspace-interface.ts";

/** The parts of a run, or of a host without one, that are needed. */
export interface LocalHost extends Pick<Run, "sandbox"> {
  readonly config: Pick<Config, "protectedFiles">;
  readonly repository: Pick<Repository, "root">;
}

const folderKey = Symbol("folder");
interface LocalHandle extends CheckoutHandle {
  readonly [folderKey]: string;
}
const isLocal = (handle: CheckoutHandle): handle is LocalHandle => folderKey in handle;

/**
 * For the code that creates, fills and removes checkouts; not for use outside of workspaces.
 * @throws Error for a handle that was not made here
 */
export function folderOf(handle: CheckoutHandle): string {
  if (!isLocal(handle)) throw new Error(`${handle.id} is not a folder on this machine.`);
  return handle[folderKey];
}

export function localWorkspace(
  host: LocalHost & Pick<Run, "gitViews">,
  { folder, ...verbs }: Workspace,
): WorkspaceHandle {
  return {
    ...localCheckout(host, folder),
    ...verbs,
    cachesLeftOut: () => cachesLeftOut(folder),
    startAgent: (_, home) => home(),
    agentCall: () => () => undefined,
    bringToAgent: async () => undefined,
    showInGit: (commit) => host.gitViews.recorded(folder, { commit }),
    writeGitView: () => host.gitViews.write(folder),
    ownPackages: (options) => ownPackages(folder, options),
  };
}

export const localCheckout = (host: LocalHost, folder: string): LocalHandle => ({
  [folderKey]: folder,
  id: folder,
  location: folder,
  files: (rules = {}) =>
    workspaceFiles({
      workspace: folder,
      repository: host.repository.root,
      protectedFiles: host.config.protectedFiles,
      ...rules,
    }),
  run: async (command) => (await host.sandbox()).run({ ...command, workspace: resolved(folder) }),
  start: async (program) => (await host.sandbox()).start({ ...program, workspace: resolved(folder) }),
  adopt: async (init, program) =>
    (await host.sandbox()).adopt(init, { ...program, workspace: resolved(folder) }),
  checks({ foundIn, ...options }) {
    const runner = host
      .sandbox()
      .then((sandbox) => createCheckRunner({ ...options, sandbox, defaultsFrom: folderOf(foundIn) }));
    return { run: async (run) => (await runner).run({ ...run, workspace: resolved(folder) }) };
  },
  foundChecks: (chosen) => foundChecks([folder], chosen),
});

/** Commands see the resolved folder; a missing one fails with its own message. */
const resolved = (folder: string): string => (existsSync(folder) ? realpathSync(folder) : folder);

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
