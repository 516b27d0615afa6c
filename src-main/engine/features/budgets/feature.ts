import type { Feature } from "../../kernel/feature.ts";
import type { Run } from "../../ports.ts";
import { askForBudget } from "./ask-for-budget.ts";

/** What a run may cost. */
export const budgets: Feature<Run> = {
  name: "budgets",
  course: {
    AskForBudget: {
      title: "The work could not be saved at the budget's end",
      perform: (run, { action }) => askForBudget(run, action.stop),
    },
  },
};
