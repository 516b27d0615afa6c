import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";

/** Files that were lost with a machine: who made them is told before the work counts. Places end with the run. */
export const lostFiles: Feature<Run> = {
  name: "lost-files",
  agents: {
    refuseDone: { name: "lost-files", why: async (run, { worker }) => run.workspaces.takeLoss(worker) },
  },
  async atRunEnd(run) {
    for (const worker of run.workers.keys()) await run.workspaces.leave(worker);
  },
};
