import { alsoUnmetered } from "#shared/domain/spending/unmetered.ts";
import { Interrupted } from "../../../engine-errors.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { rootOf } from "../../../workers/hierarchy.ts";
import { steerable } from "../../../workers/steerable.ts";
import {
  askForWorkerBudget,
  budgetState,
  limitsOf,
  openBudgetCard,
  setIterations,
  spentBudgetOf,
} from "../../../workers/worker-limits.ts";

/** What a run may cost. */
export const budgets: Feature<Run> = {
  name: "budgets",
  commands: () => ({
    async "run.setWorkerLimits"(run, { worker: name, maxIterations, ...amounts }, by) {
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
        await run.inbox.answer(
          { ...card, decision: { kind: "extend", ...limits } },
          async () => undefined,
          by,
        );
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
  stageActions: {
    AskForBudget: {
      title: "The work could not be saved when the budget was spent",
      perform: (run, { action }) => askForBudget(run, action.stop),
    },
  },
};

/** The hard stop: all work is saved, then the user extends the budget or ends the run. */
async function askForBudget(run: Run, stop: number): Promise<void> {
  await run.workspaces.saveAll();
  // More may have been granted before it was asked for.
  if (budgetState(run) !== "exhausted") {
    run.dispatch({ kind: "BudgetExtended" });
    return;
  }
  const { limits } = run.facts;
  const decision = await run.inbox.ask(`${run.id}/budget/${stop}`, () => ({
    kind: "budget",
    worker: null,
    spent: run.spending.total,
    limitTokens: limits.tokens,
    limitMicroDollars: limits.microDollars,
    alsoUnmetered: alsoUnmetered([...run.workers.values()].map(({ record }) => record)),
  }));
  if (run.runEnded.signal.aborted) throw new Interrupted();
  if (decision.kind === "extend") {
    const { tokens, microDollars } = decision;
    run.append(
      { kind: "RunLimitsSet", limits: { tokens, microDollars } },
      { kind: "StageMoved", orchestrator: rootOf(run), event: { kind: "BudgetExtended" } },
    );
  } else run.dispatch({ kind: "Stop", by: "budget" });
}
