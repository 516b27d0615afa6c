import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { steerable } from "../../../workers/steerable.ts";
import {
  askForWorkerBudget,
  limitsOf,
  openBudgetCard,
  setIterations,
  spentBudgetOf,
} from "../../../workers/worker-limits.ts";
import { askForBudget } from "./ask-for-budget.ts";

/** What a run may cost. */
export const budgets: Feature<Run> = {
  name: "budgets",
  commands: ({ active }) => ({
    async "run.setWorkerLimits"({ worker: name, maxIterations, ...amounts }) {
      const run = active();
      const { record } = steerable(run, name);
      if (maxIterations !== undefined) setIterations(run, name, maxIterations);
      if (amounts.tokens === undefined && amounts.microDollars === undefined) return;
      const before = limitsOf(run, name);
      const limits = {
        tokens: amounts.tokens === undefined ? before.tokens : amounts.tokens,
        microDollars: amounts.microDollars === undefined ? before.microDollars : amounts.microDollars,
      };
      run.append({ kind: "WorkerLimitsSet", worker: record.name, limits });
      const card = openBudgetCard(run, name);
      if (card)
        await run.inbox.answer({ ...card, decision: { kind: "extend", ...limits } }, async () => undefined);
    },
  }),
  agents: {
    gate: {
      name: "budgets",
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
      title: "The work could not be saved when the budget was spent",
      perform: (run, { action }) => askForBudget(run, action.stop),
    },
  },
};
