import { useMemo } from "react";
import type { ItemOf } from "#shared/contract/cards.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import type { PlanEdit } from "#shared/domain/plan/plan-edit.ts";
import { decideWorkflow } from "#shared/domain/plan/plan-workflow.ts";
import { settingsOf } from "#shared/domain/workflow/workflow.ts";
import { useHost } from "../../state/host-store.ts";
import { editDraft, isEdited, usePlanDraft } from "../../state/plan-draft.ts";
import { useProblems } from "../../state/plan-problems.ts";
import { runsOf } from "../../state/runs-beside.ts";
import { ForecastLine, useForecast } from "../forecast/forecast-line.tsx";
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
  const workflow = useMemo(() => decideWorkflow(plan, settingsOf(item.workflow)), [item.workflow, plan]);
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
      reject={{ label: "Reject", reason: "What should change in the plan?" }}
    >
      <PlanProblems plan={plan} problems={problems} onEdit={edit} />
      <PlanView plan={plan} onEdit={edit} hasContracts={workflow.contracts.mode !== "off"} />
      <WorkflowView workflow={workflow} choices={plan.workflow} onEdit={edit} />
      <PlanForecast run={item.run} plan={plan} />
      {hindrance !== null && !fatal && <p className="text-sm text-danger">{hindrance}</p>}
    </CardFrame>
  );
}

/** What its tasks usually cost; a rehearsal costs nothing. */
function PlanForecast({ run, plan }: { readonly run: string; readonly plan: Plan }) {
  const forecast = useForecast();
  const model = useHost((state) => {
    const found = runsOf(state).find(({ id }) => id === run);
    return found && found.rehearsal === null ? found.model : null;
  });
  return model === null ? null : <ForecastLine forecast={forecast} model={model} plan={plan} />;
}
