import type { RunView } from "#shared/contract/views/run.ts";
import { isRoot } from "#shared/domain/graph-words/address.ts";
import { overheadLine, splitSpending } from "#shared/domain/spending/spent-beside.ts";
import { amendablePlan } from "../../state/plan-amendment.ts";
import { amend } from "../plan/plan-amend.ts";
import { WorkflowView } from "../plan/workflow-view.tsx";

/** What the run does beside its agents, to be changed while it can be, and what that costs. */
export function RunWorkflow({ run }: { readonly run: RunView }) {
  const root = run.orchestrators.find(({ name }) => isRoot(name));
  const shares = splitSpending(run.workers, run.budget.byWorker);
  const plan = amendablePlan(run);
  return (
    <>
      {root?.workflow && (
        <WorkflowView
          workflow={root.workflow}
          choices={root.plan?.workflow}
          settled={["contracts"]}
          onEdit={plan ? (edit) => void amend("The workflow was not changed", root.name, edit) : undefined}
        />
      )}
      {shares.overhead.requests + shares.agents.requests > 0 && (
        <p className="text-sm text-muted tabular-nums" data-overhead={shares.ofDollars.toFixed(2)}>
          {overheadLine(shares)}
        </p>
      )}
    </>
  );
}
