import { X } from "lucide-react";
import type { Plan, PlannedTask } from "#shared/domain/plan/plan.ts";
import type { PlanEdit } from "#shared/domain/plan/plan-edit.ts";
import { contractsPart, type PlanPart, taskOfPart } from "#shared/graph/plan-layout.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button, IconButton } from "../../kit/button.tsx";
import { Field, TextArea, TextInput } from "../../kit/field.tsx";
import { isTyping } from "../../kit/keyboard.ts";
import { Menu } from "../../kit/menu.tsx";
import { graphElement } from "../../state/go-to.ts";
import { editDraft } from "../../state/plan-draft.ts";
import type { PlanDraft } from "../../state/plan-item.ts";
import { useProblems } from "../../state/plan-problems.ts";
import { select } from "../../state/selection-store.ts";
import { planPartMenu, removePlannedTask, useToBeNamed } from "../plan/plan-actions.ts";
import { PlanProblems } from "../plan/plan-problems.tsx";
import { FilesField, type OnEdit, TaskFields } from "../plan/task-fields.tsx";

interface PlanPartInspectorProps {
  readonly draft: PlanDraft;
  readonly part: PlanPart;
}

/** One part of a proposed plan, to be edited in place; everything that is typed is in the plan at once. */
export function PlanPartInspector({ draft, part }: PlanPartInspectorProps) {
  const { plan, item } = draft;
  const edit = (...edits: readonly PlanEdit[]): void => void editDraft(item.id, ...edits);
  const task = plan.tasks.find((one) => one.id === taskOfPart(part));
  const kind = task ? `Task of phase ${task.phase}` : part === contractsPart ? "Contracts" : "Integration";
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it listens to the fields that are in it
    <div
      className="relative flex h-full flex-col overflow-y-auto"
      data-plan-inspector={part}
      onKeyDown={(event) => {
        // Out of a field again, to the lane that it is about.
        if (event.key !== "Escape" || event.defaultPrevented || !isTyping(event.target)) return;
        event.preventDefault();
        graphElement()?.focus();
      }}
    >
      <header className="flex items-center gap-2 px-3 pt-2.5 pb-1">
        <h2 className="min-w-0 flex-1 truncate font-semibold">{kind}</h2>
        <Badge tone="accent">proposed</Badge>
        <Menu trigger={<Button size="sm">More</Button>} entries={planPartMenu(part)} />
        <IconButton label="Close" className="size-6" icon={<X size={14} />} onClick={() => select(null)} />
      </header>
      <div className="flex flex-col gap-3 px-3 pt-1 pb-4">
        {task ? (
          <PlannedTaskFields key={task.id} task={task} draft={draft} onEdit={edit} />
        ) : part === contractsPart ? (
          <ContractFields plan={plan} onEdit={edit} />
        ) : (
          <IntegrationFields plan={plan} onEdit={edit} />
        )}
      </div>
    </div>
  );
}

function PlannedTaskFields({
  task,
  draft: { item, plan },
  onEdit,
}: {
  readonly task: PlannedTask;
  readonly draft: PlanDraft;
  readonly onEdit: OnEdit;
}) {
  const problems = useProblems(item.id, plan).filter((problem) => problem.tasks.includes(task.id));
  const named = useToBeNamed((state) => state.task === task.id);
  return (
    <>
      <PlanProblems plan={plan} problems={problems} onEdit={onEdit} />
      <TaskFields
        task={task}
        plan={plan}
        orchestrator={item.orchestrator}
        onEdit={onEdit}
        named={named}
        onNamed={() => useToBeNamed.setState({ task: null })}
      />
      <Button look="danger" className="w-fit" onClick={() => removePlannedTask(task.id)}>
        Remove from the plan
      </Button>
    </>
  );
}

function ContractFields({ plan, onEdit }: { readonly plan: Plan; readonly onEdit: OnEdit }) {
  const { contracts } = plan;
  const set = (patch: Partial<Plan["contracts"]>): void =>
    onEdit({ kind: "contracts", ...contracts, ...patch });
  return (
    <>
      <p className="text-sm text-muted">
        Written by the orchestrator before any task starts. Every task inherits them.
      </p>
      <TitleAndText value={contracts} onChange={set} />
      <FilesField files={contracts.files} onChange={(files) => set({ files })} />
    </>
  );
}

function IntegrationFields({ plan, onEdit }: { readonly plan: Plan; readonly onEdit: OnEdit }) {
  const integration = plan.integration ?? { title: "", description: "" };
  return (
    <>
      <p className="text-sm text-muted">One change that combines all tasks, without conflicts.</p>
      <TitleAndText
        value={integration}
        onChange={(patch) => onEdit({ kind: "integration", ...integration, ...patch })}
      />
    </>
  );
}

interface Text {
  readonly title: string;
  readonly description: string;
}

function TitleAndText({
  value,
  onChange,
}: {
  readonly value: Text;
  readonly onChange: (patch: Partial<Text>) => void;
}) {
  return (
    <>
      <Field label="Title">
        {(ids) => (
          <TextInput
            {...ids}
            value={value.title}
            onChange={(event) => onChange({ title: event.target.value })}
          />
        )}
      </Field>
      <Field label="Description">
        {(ids) => (
          <TextArea
            {...ids}
            rows={5}
            value={value.description}
            onChange={(event) => onChange({ description: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}
