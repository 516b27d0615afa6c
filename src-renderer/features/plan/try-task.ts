/** How often the task that is selected is tried: of a plan that waits, or of the run that goes on. */

import { attemptsAt } from "#shared/domain/plan/attempts-of-plan.ts";
import type { PlannedTask } from "#shared/domain/plan/plan.ts";
import { useHost } from "../../state/host-store.ts";
import { editDraft, shownDraft, usePlanDrafts } from "../../state/plan-draft.ts";
import { useSelection } from "../../state/selection-store.ts";
import { amend, runningTask } from "./plan-amend.ts";
import { taskOfKey } from "./plan-parts.ts";

interface Tried {
  readonly task: PlannedTask;
  readonly edit: (attempts: number) => void;
}

function selectedTask(): Tried | null {
  const { selected } = useSelection.getState();
  const draft = shownDraft(usePlanDrafts.getState());
  const planned = draft?.plan.tasks.find(({ id }) => id === taskOfKey(selected));
  if (draft && planned)
    return {
      task: planned,
      edit: (attempts) =>
        void editDraft(draft.item.id, { kind: "change", task: planned.id, patch: { attempts } }),
    };
  const running = selected === null ? null : runningTask(useHost.getState().run, selected);
  if (!running || running.status === "done" || running.status === "abandoned") return null;
  const { orchestrator, task } = running;
  return {
    task,
    edit: (attempts) =>
      void amend(`The attempts of “${task.title}” were not changed`, orchestrator, {
        kind: "change",
        task: task.id,
        patch: { attempts },
      }),
  };
}

/** Whether the selected task could be tried so often, and is not yet. */
export function canTry(attempts: number): boolean {
  const found = selectedTask();
  return found !== null && found.task.delegate !== true && attemptsAt(found.task) !== attempts;
}

export const tryTask = (attempts: number): void => selectedTask()?.edit(attempts);
