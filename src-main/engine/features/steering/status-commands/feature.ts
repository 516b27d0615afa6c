import { type Action, background, type Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { applyStatusCommand } from "./apply-status-command.ts";
import { importStatusEdits, pendingStatusCommands } from "./status-commands.ts";

interface ObeyStatus extends Action {
  readonly worker: string;
}

/** A status that the user writes into a task is a command to the run. */
export const statusCommands: Feature<Run> = {
  name: "status-commands",
  background: [
    background<Run, ObeyStatus>({
      isForHeldRun: true,
      desired: (run) => pendingStatusCommands(run).map((worker) => ({ id: `status/${worker}`, worker })),
      perform: (run, { worker }) => applyStatusCommand(run, worker),
      failure: ({ worker }) => ({
        title: `The status change of the task of ${worker} failed`,
        worker,
        isAsked: false,
      }),
    }),
  ],
  onGraph: (run) => () => importStatusEdits(run),
};
