import { X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { priorities } from "#shared/domain/metadata.ts";
import type { Plan, PlannedTask } from "#shared/domain/plan.ts";
import type { PlanEdit, TaskPatch } from "#shared/domain/plan-edit.ts";
import { possiblePredecessors } from "#shared/domain/plan-order.ts";
import { contractsPart, type PlanPart, taskOfPart } from "#shared/graph/plan-layout.ts";
import { planPartMenu, removePlannedTask, useToBeNamed } from "../../graph/plan-actions.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button, IconButton } from "../../kit/button.tsx";
import { Field, TextArea, TextInput } from "../../kit/field.tsx";
import { Menu } from "../../kit/menu.tsx";
import { PriorityIcon } from "../../kit/priority-icon.tsx";
import { editDraft, type PlanDraft } from "../../state/plan-draft.ts";
import { useProblems } from "../../state/plan-problems.ts";
import { select } from "../../state/selection-store.ts";
import { PlanProblems } from "../run/plan-problems.tsx";

interface PlanPartInspectorProps {
  readonly draft: PlanDraft;
  readonly part: PlanPart;
}

/** One part of a proposed plan, to be edited in place; everything that is typed is in the plan at once. */
export function PlanPartInspector({ draft, part }: PlanPartInspectorProps) {
  const { plan, item } = draft;
  const edit = (...edits: readonly PlanEdit[]): void => void editDraft(item.id, ...edits);
  const task = plan.tasks.find((one) => one.id === taskOfPart(part));
  const kind = task ? `Task ${task.id}` : part === contractsPart ? "Contracts" : "Integration";
  return (
    <div className="flex h-full flex-col overflow-y-auto" data-plan-inspector={part}>
      <header className="flex items-center gap-2 px-3 pt-2.5 pb-1">
        <h2 className="min-w-0 flex-1 truncate font-semibold">{kind}</h2>
        <Badge tone="accent">proposed</Badge>
        <Menu trigger={<Button size="sm">More</Button>} entries={planPartMenu(part)} />
        <IconButton label="Close" className="size-6" icon={<X size={14} />} onClick={() => select(null)} />
      </header>
      <div className="flex flex-col gap-3 px-3 pt-1 pb-4">
        {task ? (
          <TaskFields key={task.id} task={task} plan={plan} onEdit={edit} />
        ) : part === contractsPart ? (
          <ContractFields plan={plan} onEdit={edit} />
        ) : (
          <IntegrationFields plan={plan} onEdit={edit} />
        )}
      </div>
    </div>
  );
}

type OnEdit = (...edits: readonly PlanEdit[]) => void;

function TaskFields({
  task,
  plan,
  onEdit,
}: {
  readonly task: PlannedTask;
  readonly plan: Plan;
  readonly onEdit: OnEdit;
}) {
  const problems = useProblems(plan).filter((problem) => problem.tasks.includes(task.id));
  const set = (patch: TaskPatch): void => onEdit({ kind: "change", task: task.id, patch });
  const title = useNamed(task.id);
  return (
    <>
      <PlanProblems plan={plan} problems={problems} onEdit={onEdit} />
      <Field label="Title">
        {(ids) => (
          <TextInput
            {...ids}
            ref={title}
            value={task.title}
            onChange={(event) => set({ title: event.target.value })}
          />
        )}
      </Field>
      <Field label="Description" hint="What its agent is told: it has not read the rest of the plan.">
        {(ids) => (
          <TextArea
            {...ids}
            rows={5}
            value={task.description}
            onChange={(event) => set({ description: event.target.value })}
          />
        )}
      </Field>
      <FilesField files={task.files} onChange={(files) => set({ files })} />
      <div className="grid grid-cols-[88px_1fr] items-center gap-x-2 gap-y-1.5 text-sm">
        <span className="text-faint">Priority</span>
        <Menu
          trigger={
            <Button size="sm" className="w-fit" aria-label={`Priority: ${task.priority}`}>
              <PriorityIcon priority={task.priority} /> {task.priority}
            </Button>
          }
          entries={priorities.map((priority) => ({
            label: priority,
            icon: <PriorityIcon priority={priority} />,
            checked: priority === task.priority,
            onSelect: () => set({ priority }),
          }))}
        />
        <span className="text-faint">Phase</span>
        <Menu
          trigger={
            <Button size="sm" className="w-fit max-w-full" aria-label={`Phase: ${task.phase}`}>
              <span className="truncate">
                {task.phase}: {plan.phases.find(({ number }) => number === task.phase)?.title ?? "not listed"}
              </span>
            </Button>
          }
          entries={plan.phases.map(({ number, title: name }) => ({
            label: `${number}: ${name}`,
            checked: number === task.phase,
            onSelect: () => onEdit({ kind: "move", task: task.id, phase: number }),
          }))}
        />
        <span className="self-start pt-1 text-faint">Waits for</span>
        <WaitsFor task={task} plan={plan} onEdit={onEdit} />
      </div>
      <Button look="danger" className="w-fit" onClick={() => removePlannedTask(task.id)}>
        Remove from the plan
      </Button>
    </>
  );
}

/** The field of a task that was just added takes the focus, so that its title can be typed. */
function useNamed(task: string) {
  const field = useRef<HTMLInputElement>(null);
  const wanted = useToBeNamed((state) => state.task === task);
  useEffect(() => {
    if (!wanted) return;
    useToBeNamed.setState({ task: null });
    field.current?.focus();
    field.current?.select();
  }, [wanted]);
  return field;
}

function WaitsFor({
  task,
  plan,
  onEdit,
}: {
  readonly task: PlannedTask;
  readonly plan: Plan;
  readonly onEdit: OnEdit;
}) {
  const possible = possiblePredecessors(plan, task.id).filter((other) => !task.after.includes(other.id));
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-1">
      {task.after.length === 0 && <span className="text-muted">no other task of its phase</span>}
      {task.after.map((id) => (
        <span
          key={id}
          className="inline-flex h-6 max-w-full items-center gap-0.5 rounded-md border bg-sunken pl-2 text-sm"
        >
          <span className="truncate">{plan.tasks.find((one) => one.id === id)?.title ?? id}</span>
          <IconButton
            label={`No longer wait for ${id}`}
            className="size-6"
            icon={<X size={12} />}
            onClick={() => onEdit({ kind: "unlink", task: task.id, after: id })}
          />
        </span>
      ))}
      {possible.length > 0 && (
        <Menu
          trigger={
            <Button size="sm" look="ghost">
              Add…
            </Button>
          }
          entries={possible.map((other) => ({
            label: other.title,
            onSelect: () => onEdit({ kind: "link", task: task.id, after: other.id }),
          }))}
        />
      )}
    </div>
  );
}

/** Paths and globs, one a line. What is typed stays as it is until the plan says something else. */
function FilesField({
  files,
  onChange,
}: {
  readonly files: readonly string[];
  readonly onChange: (files: readonly string[]) => void;
}) {
  const [typed, setTyped] = useState(files.join("\n"));
  const named = (text: string): readonly string[] =>
    text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
  const shown = named(typed).join("\n") === files.join("\n") ? typed : files.join("\n");
  return (
    <Field label="Files that it may touch" hint="Paths, folders with / at the end, or globs; one a line.">
      {(ids) => (
        <TextArea
          {...ids}
          rows={3}
          spellCheck={false}
          className="font-mono text-xs"
          value={shown}
          onChange={(event) => {
            setTyped(event.target.value);
            onChange(named(event.target.value));
          }}
        />
      )}
    </Field>
  );
}

function ContractFields({ plan, onEdit }: { readonly plan: Plan; readonly onEdit: OnEdit }) {
  const { contracts } = plan;
  const set = (patch: Partial<Plan["contracts"]>): void =>
    onEdit({ kind: "contracts", ...contracts, ...patch });
  return (
    <>
      <p className="text-sm text-muted">
        Written by the orchestrator before any task begins; every task inherits them.
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
      <p className="text-sm text-muted">One change on top of every task, without conflicts.</p>
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
