/** Checkouts with the set-up of agents' workspaces, for looking at a commit without a run. */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { Repository } from "../../jj/repository-interface.ts";
import type { Run } from "../ports.ts";
import { type CheckoutHost, freshCheckouts } from "./checkout.ts";
import { localCheckout } from "./local-checkout.ts";
import { type SetUpOptions, setUpFolder } from "./set-up-workspace.ts";
import type { Checkouts } from "./workspace-interface.ts";

export type SetUpHost = CheckoutHost & Pick<Run, "config" | "sandbox">;

export async function setUpCheckouts(
  host: SetUpHost,
  commit: string,
  options: Pick<SetUpOptions, "environment" | "signal" | "show" | "failed">,
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

/** Detects, without reading them, whether the caches of the user's folder have changed. */
export const cacheStamps = (repository: Pick<Repository, "root">, names: readonly string[]) =>
  Promise.all(
    names.map(async (name) => {
      const stats = await lstat(join(repository.root, name)).catch(() => null);
      return [name, stats === null ? null : [stats.ino, stats.mtimeMs]] as const;
    }),
  );
