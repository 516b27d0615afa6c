import { attemptsAt, type PlannedTask } from "#shared/domain/plan/plan.ts";
import { checkPlan } from "#shared/domain/plan/plan-check.ts";
import { isTyping } from "../../kit/key-table.ts";
import type { Action } from "../../registry/action.ts";
import type { Feature } from "../../registry/feature.ts";
import { useHost } from "../../state/host-store.ts";
import { amendablePlan, checkShownPlan } from "../../state/plan-amendment.ts";
import { editDraft, shownDraft, usePlanDrafts } from "../../state/plan-draft.ts";
import { useSelection } from "../../state/selection-store.ts";
import {
  addPhase,
  addPlannedTask,
  amend,
  approvePlan,
  askForTask,
  deselectGoneParts,
  runningTask,
  taskOfKey,
  whyNotApproved,
} from "./plan-actions.ts";
import { TaskDialog, taskSubmenu } from "./task-dialog.tsx";

const draft = () => shownDraft(usePlanDrafts.getState());

/** In a field of the plan its key means the plan; in any other one it sends what is written there. */
function isElsewhere(): boolean {
  const field = document.activeElement;
  return isTyping(field) && !field?.closest("[data-plan-inspector], [data-plan-task], [cmdk-root]");
}

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
function canTry(attempts: number): boolean {
  const found = selectedTask();
  return found !== null && found.task.delegate !== true && attemptsAt(found.task) !== attempts;
}

/** Sets the number of attempts of the selected task: of a waiting plan, or of the active run. */
const tryTask = (attempts: number): void => selectedTask()?.edit(attempts);

/**
 * What can be done with a plan that waits for approval, from the palette and by keys that work everywhere.
 */
const planActions: readonly Action[] = [
  {
    id: "approve-plan",
    title: "Approve the plan",
    group: "Run",
    command: "inbox.answer",
    keys: "mod+Enter",
    whileTyping: true,
    words: "accept begin start",
    available: () => {
      const shown = draft();
      return shown !== null && !isElsewhere() && whyNotApproved(shown.plan, checkPlan(shown.plan)) === null;
    },
    run: () => {
      const shown = draft();
      if (shown) void approvePlan(shown);
    },
  },
  {
    id: "add-task-to-run",
    title: "Add a task to the run…",
    group: "Run",
    command: "plan.amend",
    words: "plan new amend",
    available: () => amendablePlan(useHost.getState().run) !== null,
    run: () => askForTask(),
  },
  {
    id: "add-planned-task",
    title: "Add a task to the plan",
    group: "Run",
    command: "inbox.answer",
    words: "new proposed",
    available: () => draft() !== null,
    run: () => addPlannedTask(),
  },
  {
    id: "add-planned-phase",
    title: "Add a phase to the plan",
    group: "Run",
    command: "inbox.answer",
    words: "new proposed",
    available: () => draft() !== null,
    run: addPhase,
  },
  ...[1, 2, 3].map((attempts) => ({
    id: `try-task-${attempts}`,
    title:
      attempts === 1
        ? "Try the selected task once"
        : `Try the selected task ${attempts} times, and choose one`,
    group: "Run" as const,
    command: "plan.amend" as const,
    words: "attempts side by side again compare fork",
    available: () => canTry(attempts),
    run: () => tryTask(attempts),
  })),
];

/** The plan: proposed, edited, approved, and changed during its run. */
export const plan: Feature = {
  actions: planActions,
  dialogs: [TaskDialog],
  changeMenu: { order: 2, entriesOf: taskSubmenu },
  start: () => {
    deselectGoneParts();
    checkShownPlan();
  },
};
