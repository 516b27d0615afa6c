import { Interrupted } from "../../../engine-errors.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { trouble } from "../../../trouble/trouble.ts";

/** Disk use of each workspace: an agent whose folder is full waits until the user frees space. */
export const diskUse: Feature<Run> = {
  name: "disk-use",
  agents: {
    gate: {
      name: "disk-use",
      isClosed: (run, worker) => run.diskUse.check(worker) !== null,
      async pass(run, worker) {
        const error = run.diskUse.check(worker);
        if (error === null) return false;
        const title = `The workspace of ${worker} has grown too large`;
        if (!(await trouble(run, { of: worker, worker, title, error }))) throw new Interrupted();
        await run.diskUse.recount(worker);
        return true;
      },
    },
  },
};
