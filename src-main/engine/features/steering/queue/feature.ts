import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { queueCommands } from "./move-in-queue.ts";

/** Which tasks go first: a person's drag is a priority, which is the plan's, and a rank in the task's change. */
export const queue: Feature<Run> = {
  name: "queue",
  commands: queueCommands,
  onGraph: (run) => () => {
    for (const { record } of run.workers.values()) {
      const change = record.task === null ? undefined : run.changes.get(record.changeId ?? "");
      if (change) run.append({ kind: "RankChanged", worker: record.name, rank: change.metadata.rank ?? "" });
    }
    run.slots.look();
  },
};
