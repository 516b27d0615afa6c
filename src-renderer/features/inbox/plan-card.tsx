import type { Plan } from "#shared/domain/plan.ts";
import { PlanView } from "../run/plan-view.tsx";
import { CardFrame } from "./card-frame.tsx";
import { useDraft } from "./drafts.ts";
import type { ItemOf } from "./item-of.ts";

/** The proposed plan, to be edited in place. What is approved is what is on screen. */
export function PlanCard({ item }: { readonly item: ItemOf<"plan"> }) {
  const [edited, setEdited] = useDraft<Plan | null>(item, "plan", null);
  const plan = edited ?? item.plan;
  const missing =
    plan.tasks.length === 0
      ? "A plan without a task cannot be approved."
      : plan.tasks.some((task) => task.title.trim() === "")
        ? "Give every task a title, then approve."
        : null;
  return (
    <CardFrame
      item={item}
      approve={{
        label: edited ? "Approve as edited" : "Approve",
        disabled: plan.integration === null || missing !== null,
        decision: () => (edited ? { kind: "approve", plan: edited } : { kind: "approve" }),
      }}
      reject={{ label: "Reject", reason: "What should be planned otherwise?" }}
    >
      {item.problems.length > 0 && (
        <ul className="rounded-md bg-warning-soft px-3 py-2 text-sm text-warning">
          {item.problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      <PlanView plan={plan} onChange={setEdited} />
      {missing && <p className="text-sm text-danger">{missing}</p>}
    </CardFrame>
  );
}
