import { ChevronDown } from "lucide-react";
import type { PlanEdit } from "#shared/domain/plan/plan-edit.ts";
import {
  formatStage,
  stageModes,
  stageTexts,
  type Workflow,
  type WorkflowChoices,
  type WorkflowStage,
  workflowStages,
} from "#shared/domain/workflow/workflow.ts";
import { Menu } from "../../kit/menu.tsx";

interface WorkflowViewProps {
  readonly workflow: Workflow;
  readonly choices: WorkflowChoices | undefined;
  /** Absent: read-only. */
  readonly onEdit?: ((edit: PlanEdit) => void) | undefined;
  /** Stages that cannot change any more. */
  readonly settled?: readonly WorkflowStage[];
}

/** The stages of a run's workflow, each with its reason and a menu. */
export function WorkflowView({ workflow, choices, onEdit, settled = [] }: WorkflowViewProps) {
  return (
    <section aria-label="Workflow">
      <h4 className="mb-1 text-sm font-medium text-muted">Workflow</h4>
      <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-3 gap-y-1 text-sm">
        {workflowStages.map((stage) => {
          const { by, reason } = workflow[stage];
          const { label, modes } = stageTexts[stage];
          const text = formatStage(stage, workflow[stage]);
          const chosen = choices?.[stage]?.by === "user" ? choices[stage].mode : "auto";
          return (
            <div key={stage} className="contents">
              <dt className="text-faint">{label}</dt>
              <dd className="min-w-0">
                {onEdit && by !== "configuration" && !settled.includes(stage) ? (
                  <Menu
                    trigger={
                      <button
                        type="button"
                        aria-label={`${label}: ${text}`}
                        className="inline-flex items-center gap-0.5 rounded-sm font-medium hover:bg-hover"
                      >
                        {text}
                        <ChevronDown size={12} className="text-faint" aria-hidden />
                      </button>
                    }
                    entries={stageModes.map((mode) => ({
                      label: mode === "auto" ? "Automatic" : modes[mode],
                      checked: mode === chosen,
                      onSelect: () => onEdit({ kind: "workflow", stage, mode }),
                    }))}
                  />
                ) : (
                  <span className="font-medium">{text}</span>
                )}{" "}
                <span className="text-muted">{reason}</span>
              </dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}
