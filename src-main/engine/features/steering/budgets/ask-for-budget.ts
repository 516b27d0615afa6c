import { Interrupted } from "../../../engine-errors.ts";
import type { Run } from "../../../ports.ts";
import { rootOf } from "../../../workers/hierarchy.ts";
import { budgetState } from "../../../workers/run-budget.ts";

/** The hard stop: all work is saved, then a person extends the budget or ends the run. */
export async function askForBudget(run: Run, stop: number): Promise<void> {
  await run.workspaces.saveAll();
  // More may have been granted while nobody had asked yet.
  if (budgetState(run) !== "exhausted") {
    run.dispatch({ kind: "BudgetExtended" });
    return;
  }
  const { limits } = run.facts;
  const decision = await run.inbox.ask(
    `${run.id}/budget/${stop}`,
    () => ({
      kind: "budget",
      worker: null,
      spent: run.spending.total,
      limitTokens: limits.tokens,
      limitMicroDollars: limits.microDollars,
    }),
    run.runEnded.signal,
  );
  if (run.runEnded.signal.aborted) throw new Interrupted();
  if (decision.kind === "extend") {
    const { tokens, microDollars } = decision;
    run.append(
      { kind: "RunLimitsSet", limits: { tokens, microDollars } },
      { kind: "StageMoved", orchestrator: rootOf(run), event: { kind: "BudgetExtended" } },
    );
  } else run.dispatch({ kind: "Stop", by: "budget" });
}
