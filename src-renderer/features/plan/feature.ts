import type { Feature } from "../../registry/feature.ts";
import { checkShownPlan } from "../../state/plan-problems.ts";
import { deselectGoneParts } from "./plan-actions.ts";
import { planActions } from "./plan-palette.ts";
import { TaskDialog } from "./task-dialog.tsx";
import { taskSubmenu } from "./task-entries.tsx";

/** The plan: proposed, edited, approved, and changed while its run goes on. */
export const plan: Feature = {
  actions: planActions,
  dialogs: [TaskDialog],
  changeMenu: { order: 2, entriesOf: taskSubmenu },
  start: () => {
    deselectGoneParts();
    checkShownPlan();
  },
};
