import { ChevronDown, Ghost } from "lucide-react";
import { useMemo } from "react";
import { Menu } from "../../kit/menu.tsx";
import { useHost } from "../../state/host-store.ts";
import { isEdited, usePlanDrafts } from "../../state/plan-draft.ts";
import type { PlanDraft } from "../../state/plan-item.ts";
import { showPlan } from "./plan-actions.ts";

const authorOf = ({ item }: PlanDraft): string => item.orchestrator;

/** Which plan stands on the graph. Where several wait, a person chooses; where one does, it is only said. */
export function PlanChoice({ draft }: { readonly draft: PlanDraft }) {
  const drafts = usePlanDrafts((state) => state.drafts);
  const orchestrators = useHost((state) => state.run?.orchestrators);
  const titles = useMemo(
    () => new Map(orchestrators?.map(({ name, title }) => [name, title])),
    [orchestrators],
  );
  const edited = isEdited(draft) ? ", edited" : "";
  const all = [...drafts.values()];
  if (all.length < 2)
    return (
      <span className="inline-flex items-center gap-1.5 font-medium text-accent-text">
        <Ghost size={14} aria-hidden />
        {`Proposed plan${edited}`}
      </span>
    );
  return (
    <Menu
      trigger={
        <button
          type="button"
          title="Choose the plan to show on the graph"
          className="-ml-1 inline-flex h-6 min-w-0 items-center gap-1.5 rounded-md px-1 font-medium text-accent-text hover:bg-hover"
        >
          <Ghost size={14} className="shrink-0" aria-hidden />
          <span className="truncate">{`Plan of ${authorOf(draft)}${edited}`}</span>
          <span className="shrink-0 text-sm font-normal tabular-nums">
            {all.indexOf(draft) + 1} of {all.length}
          </span>
          <ChevronDown size={13} className="shrink-0" aria-hidden />
        </button>
      }
      entries={all.map((one) => ({
        label: [authorOf(one), titles.get(authorOf(one))].filter(Boolean).join(": "),
        checked: one === draft,
        onSelect: () => showPlan(one.item.id),
      }))}
    />
  );
}
