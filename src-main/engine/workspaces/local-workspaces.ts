/** The places of a run on this machine. */
import type { Run } from "../ports.ts";
import { freshCheckouts } from "./checkout.ts";
import { folderOf, localCheckout, localWorkspace } from "./local-checkout.ts";
import { save } from "./save-workspace.ts";
import { setUpOnce, setUpWorkspace } from "./set-up-workspace.ts";
import type { Workspaces } from "./workspace-interface.ts";
import { ensureWorkspace, removeAll, saveAll, workspaceFolder, workspaceOf } from "./workspaces.ts";

export const localWorkspaces = (getRun: () => Run): Workspaces => ({
  of(worker) {
    const known = workspaceOf(getRun(), worker);
    return known && localWorkspace(getRun(), known);
  },
  ensure: async (worker, change) => localWorkspace(getRun(), await ensureWorkspace(getRun(), worker, change)),
  setUp: (worker, workspace, signal) => setUpOnce(getRun(), worker, folderOf(workspace), signal),
  home: () => localCheckout(getRun(), getRun().repository.root),
  async checkouts(commit, { signal, setUpFor }) {
    const run = getRun();
    const places = await freshCheckouts(run, commit, {
      signal,
      ...(setUpFor === undefined
        ? {}
        : { prepare: (folder: string) => setUpWorkspace(run, setUpFor.worker, folder, setUpFor.signal) }),
    });
    return {
      async checkout() {
        const { folder, remove } = await places.checkout();
        return { ...localCheckout(run, folder), remove };
      },
      remove: places.remove,
    };
  },
  async end(worker) {
    const known = workspaceOf(getRun(), worker);
    if (known === null) return;
    await save(known);
    await getRun().repository.removeWorkspace(known, { actor: "hox" });
  },
  async forgetGone(worker) {
    const run = getRun();
    if (workspaceOf(run, worker) !== null) return;
    await run.repository.removeWorkspace(run.repository.workspace(worker, workspaceFolder(run, worker)), {
      actor: "hox",
    });
  },
  hasAgent: () => false,
  leave: async () => undefined,
  takeLoss: () => null,
  saveAll: (isMeant) => saveAll(getRun(), isMeant),
  removeAll: () => removeAll(getRun()),
});
