/** Checkouts with the set-up of agents' workspaces, for looking at a commit without a run. */
import { lstat, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { removeTree } from "../../disk/remove-tree.ts";
import type { Repository } from "../../jj/ports/repository-interface.ts";
import type { Run } from "../ports.ts";
import { cachesInFiles, keepBuildCaches } from "./build-caches.ts";
import { type CheckoutHost, checkoutsFolder, freshCheckouts } from "./checkout.ts";
import { folderOf, type LocalHost, localCheckout } from "./local-checkout.ts";
import { packagePaths, type SetUpOptions, setUpFolder } from "./set-up-workspace.ts";
import type { CheckoutHandle, Checkouts } from "./workspace-interface.ts";

export type SetUpHost = CheckoutHost & Pick<Run, "config" | "sandbox">;

export async function setUpCheckouts(
  host: SetUpHost,
  commit: string,
  options: Pick<SetUpOptions, "base" | "environment" | "signal" | "show" | "failed">,
): Promise<Checkouts> {
  const { config, repository, sandbox, stateFolder } = host;
  const places = await freshCheckouts(host, commit, {
    signal: options.signal,
    prepare: (folder) =>
      setUpFolder({ ...options, config, root: repository.root, folder, stateFolder, sandbox }),
  });
  return {
    async checkout() {
      const { folder, remove } = await places.checkout();
      return { ...localCheckout(host, folder), remove };
    },
    remove: places.remove,
  };
}

/** Keeps the build caches of a checkout of a run's base, which is used no more. */
export async function keepCachesOf(
  { stateFolder }: Pick<SetUpHost, "stateFolder">,
  place: CheckoutHandle,
  base: string,
  signal: AbortSignal,
): Promise<void> {
  const folder = folderOf(place);
  const paths = await packagePaths(folder, cachesInFiles);
  await keepBuildCaches(stateFolder, base, { folder, paths }, signal);
}

/** Detects, without reading them, whether the caches of the user's folder have changed. */
export const cacheStamps = (repository: Pick<Repository, "root">, names: readonly string[]) =>
  Promise.all(
    names.map(async (name) => {
      const stats = await lstat(join(repository.root, name)).catch(() => null);
      return [name, stats === null ? null : [stats.ino, stats.mtimeMs]] as const;
    }),
  );

/** Neutral, because a judge sees the path of its checkout. */
const prefix = "panel-";

/** The name of the checkouts of a panel that judges without a run. */
export const panelId = (id: string): string => `${prefix}${id}`;

/** The user's folder: read only. */
export const userFolder = (host: LocalHost): CheckoutHandle => localCheckout(host, host.repository.root);

/** Takes away all that one panel has left. */
export const removePanelCheckouts = (stateFolder: string, id: string): Promise<void> =>
  removeTree(checkoutsFolder(stateFolder, id));

/** Takes away what killed hosts have left; no panel may be judging. */
export async function removeLeftCheckouts(stateFolder: string): Promise<void> {
  const folder = dirname(checkoutsFolder(stateFolder, "any"));
  let names: readonly string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  for (const name of names) if (name.startsWith(prefix)) await removeTree(join(folder, name));
}
