import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { refuseFinished } from "../../../workers/steerable.ts";
import { reassign, settleAssignment } from "./reassign.ts";

/** A task goes to a fresh agent. */
export const reassignment: Feature<Run> = {
  name: "reassignment",
  services: (run) => ({
    reassignment: {
      reassign: (worker, handover) => reassign(run, worker, handover),
      settle: (worker) => settleAssignment(run, worker),
    },
  }),
  commands: () => ({
    async "run.reassignWorker"(run, { worker: name, model, brief }) {
      refuseFinished(run, name);
      return { worker: await reassign(run, name, { model, brief }) };
    },
  }),
};
