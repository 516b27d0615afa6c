import type { RunEvent } from "#shared/run/events.ts";

export interface TaskTitles {
  /** Takes in what an event says of tasks; the events one after the other. */
  note(event: RunEvent): void;
  /** As it read last; null where nothing has named it. */
  titleOf(orchestrator: string, task: string): string | null;
}

/** Titles of a run's tasks. Two orchestrators may call tasks of theirs by the same id. */
export function createTaskTitles(): TaskTitles {
  const titles = new Map<string, string>();
  const keyOf = (orchestrator: string, task: string): string => `${orchestrator}\n${task}`;
  const name = (orchestrator: string, task: string, title: string): void => {
    if (title !== "") titles.set(keyOf(orchestrator, task), title);
  };
  return {
    note(event) {
      switch (event.kind) {
        case "PlanProposed":
        case "PlanApproved":
        case "PlanRevised":
        case "AmendmentFinished":
          for (const { id, title } of event.plan.tasks) name(event.orchestrator, id, title);
          return;
        case "WorkerJoined": {
          const { parent, task, title } = event.record;
          if (parent && task && title) name(parent, task, title);
          return;
        }
        default:
          return;
      }
    },
    titleOf: (orchestrator, task) => titles.get(keyOf(orchestrator, task)) ?? null,
  };
}
