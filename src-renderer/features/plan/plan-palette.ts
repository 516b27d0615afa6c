/** What can be done with a plan that waits for approval, from the palette and by keys that work everywhere. */
import { checkPlan } from "#shared/domain/plan/plan-check.ts";
import { isTyping } from "../../kit/keyboard.ts";
import type { Action } from "../../registry/action.ts";
import { useHost } from "../../state/host-store.ts";
import { amendablePlan } from "../../state/plan-amendment.ts";
import { shownDraft, usePlanDrafts } from "../../state/plan-draft.ts";
import { approvePlan, whyNotApproved } from "./approve-plan.ts";
import { addPhase, addPlannedTask } from "./plan-actions.ts";
import { askForTask } from "./plan-amend.ts";
import { canTry, tryTask } from "./try-task.ts";

const draft = () => shownDraft(usePlanDrafts.getState());

/** In a field of the plan its key means the plan; in any other one it sends what is written there. */
function isElsewhere(): boolean {
  const field = document.activeElement;
  return isTyping(field) && !field?.closest("[data-plan-inspector], [data-plan-task], [cmdk-root]");
}

export const planActions: readonly Action[] = [
  {
    id: "approve-plan",
    title: "Approve the plan",
    group: "Run",
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
    words: "plan new amend",
    available: () => amendablePlan(useHost.getState().run) !== null,
    run: () => askForTask(),
  },
  {
    id: "add-planned-task",
    title: "Add a task to the plan",
    group: "Run",
    words: "new proposed",
    available: () => draft() !== null,
    run: () => addPlannedTask(),
  },
  {
    id: "add-planned-phase",
    title: "Add a phase to the plan",
    group: "Run",
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
    words: "attempts side by side again compare fork",
    available: () => canTry(attempts),
    run: () => tryTask(attempts),
  })),
];
