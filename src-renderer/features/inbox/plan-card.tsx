import { useMemo } from "react";
import type { ItemOf } from "#shared/contract/cards.ts";
import type { PlanEdit } from "#shared/domain/plan/plan-edit.ts";
import { decideWorkflow } from "#shared/domain/plan/plan-workflow.ts";
import { settingsOf } from "#shared/domain/workflow/workflow.ts";
import { editDraft, isEdited, usePlanDraft } from "../../state/plan-draft.ts";
import { useProblems } from "../../state/plan-problems.ts";
import { decisionOf, whyNotApproved } from "../plan/approve-plan.ts";
import { PlanProblems } from "../plan/plan-problems.tsx";
import { PlanView } from "../plan/plan-view.tsx";
import { WorkflowView } from "../plan/workflow-view.tsx";
import { CardFrame } from "./card-frame.tsx";

/** The proposed plan, to be edited in place or on the graph. What is approved is what is on screen. */
export function PlanCard({ item }: { readonly item: ItemOf<"plan"> }) {
  const draft = usePlanDraft(item.id);
  const plan = draft?.plan ?? item.plan;
  const problems = useProblems(item.id, plan);
  const workflow = useMemo(
    () => item.workflow && decideWorkflow(plan, settingsOf(item.workflow)),
    [item.workflow, plan],
  );
  const hindrance = whyNotApproved(plan, problems);
  const fatal = problems.some((problem) => problem.severity === "fatal");
  const edit = (...edits: readonly PlanEdit[]): void => void editDraft(item.id, ...edits);
  return (
    <CardFrame
      item={item}
      approve={{
        label: draft && isEdited(draft) ? "Approve as edited" : "Approve",
        disabled: hindrance !== null,
        keys: "mod+Enter",
        decision: () => (draft ? decisionOf(draft) : { kind: "approve" }),
      }}
      reject={{ label: "Reject", reason: "What should be planned otherwise?" }}
    >
      <PlanProblems plan={plan} problems={problems} onEdit={edit} />
      <PlanView plan={plan} onEdit={edit} hasContracts={workflow?.contracts.mode !== "off"} />
      {workflow && <WorkflowView workflow={workflow} choices={plan.workflow} onEdit={edit} />}
      {hindrance !== null && !fatal && <p className="text-sm text-danger">{hindrance}</p>}
    </CardFrame>
  );
}
