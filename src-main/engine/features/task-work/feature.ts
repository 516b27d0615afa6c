import type { Feature } from "../../kernel/feature.ts";
import type { Run } from "../../ports.ts";
import { leaveOpen } from "../../run/leave-open.ts";
import { workOnTask } from "../../run/tasks.ts";
import { workerOnTask } from "../../workers/hierarchy.ts";
import { holdInSandbox } from "../../workspaces/sandbox-gate.ts";
import { readAbandonedTasks } from "./abandoned-tasks.ts";

/** Each task of a plan, from its agent's first turn to its merged work. */
export const taskWork: Feature<Run> = {
  name: "task-work",
  course: {
    SpawnTaskAgent: {
      title: "An agent cannot go on",
      worker: (run, { orchestrator, action }) => workerOnTask(run, orchestrator, action.task)?.name ?? null,
      async perform(run, { orchestrator, action }, signal) {
        await holdInSandbox(run);
        await workOnTask(run, orchestrator, action.task, signal);
      },
    },
  },
  onGraph: (run) => () => readAbandonedTasks(run),
  atRunEnd: leaveOpen,
};
