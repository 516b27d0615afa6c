import type { Feature } from "../../kernel/feature.ts";
import type { Run } from "../../ports.ts";
import { askForWorkerBudget, spentBudgetOf } from "../../workers/worker-limits.ts";
import { askForBudget } from "./ask-for-budget.ts";

/** What a run may cost. */
export const budgets: Feature<Run> = {
  name: "budgets",
  agents: {
    gate: {
      place: 40,
      async pass(run, worker) {
        const holder = spentBudgetOf(run, worker);
        if (holder === null) return false;
        await askForWorkerBudget(run, holder, worker);
        return true;
      },
    },
  },
  course: {
    AskForBudget: {
      title: "The work could not be saved at the budget's end",
      perform: (run, { action }) => askForBudget(run, action.stop),
    },
  },
};
