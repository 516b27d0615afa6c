import { Interrupted } from "../../../engine-errors.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { trouble } from "../../../trouble/trouble.ts";
import { createDiskUse } from "../../../workspaces/disk-use.ts";

/** Disk use of each workspace: an agent whose folder is full waits until the user frees space. */
export const diskUse: Feature<Run> = {
  name: "disk-use",
  services: (run) => ({ diskUse: createDiskUse(() => run) }),
  agents: {
    gate: {
      name: "disk-use",
      isClosed: (run, worker) => run.services.diskUse.check(worker) !== null,
      async pass(run, worker) {
        const error = run.services.diskUse.check(worker);
        if (error === null) return false;
        const title = `The workspace of ${worker} has grown too large`;
        if (!(await trouble(run, { of: worker, worker, title, error }))) throw new Interrupted();
        await run.services.diskUse.recount(worker);
        return true;
      },
    },
  },
};
