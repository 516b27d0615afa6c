import { Plus, Trash2 } from "lucide-react";
import { agentsNote, type Plan, type PlannedTask, possiblePredecessors } from "#shared/domain/plan/plan.ts";
import { blankTask, type TaskPatch } from "#shared/domain/plan/plan-edit.ts";
import { describeBudget } from "#shared/domain/spending/budget.ts";
import { taskPart } from "#shared/graph/plan-layout.ts";
import { Badge } from "../../kit/badge.tsx";
import { Button, IconButton, LinkButton } from "../../kit/button.tsx";
import { TextArea } from "../../kit/field.tsx";
import { FileName } from "../../kit/file-name.tsx";
import { Menu } from "../../kit/menu.tsx";
import { PriorityIcon, priorityEntries } from "../../kit/status-icon.tsx";
import { inspect } from "../../state/selection-store.ts";
import { agentEntries, keyOfPart, waitsForEntries } from "./plan-actions.ts";
import type { OnEdit } from "./task-fields.tsx";

interface PlanViewProps {
  readonly plan: Plan;
  readonly onEdit: OnEdit;
  /** False: no contracts are written, so there is no phase for them. */
  readonly hasContracts: boolean;
}

/** A plan by phases, from contracts to integration; every task can be edited while it waits for approval. */
export function PlanView({ plan, onEdit, hasContracts }: PlanViewProps) {
  return (
    <div className="flex flex-col gap-3">
      {plan.summary && (
        <p className="whitespace-pre-wrap text-muted" data-selectable>
          {plan.summary}
        </p>
      )}
      <p className="text-sm text-muted">
        {plan.orchestrators.count === 1 ? "One orchestrator" : `${plan.orchestrators.count} orchestrators`}
        {plan.orchestrators.reason && `: ${plan.orchestrators.reason}`}
      </p>
      {hasContracts && (
        <PhaseSection
          name="Contracts"
          title={plan.contracts.title}
          note="written first, inherited by every task"
        >
          <p className="text-sm whitespace-pre-wrap text-muted">{plan.contracts.description}</p>
          <Files files={plan.contracts.files} />
        </PhaseSection>
      )}
      {plan.phases.map((phase) => (
        <PhaseSection
          key={phase.number}
          name={`Phase ${phase.number}`}
          title={phase.title}
          note="in parallel"
          action={
            <Button
              look="ghost"
              size="sm"
              onClick={() => onEdit({ kind: "add", task: blankTask(plan, phase.number) })}
            >
              <Plus size={13} aria-hidden />
              Add a task
            </Button>
          }
        >
          {plan.tasks
            .filter((task) => task.phase === phase.number)
            .map((task) => (
              <TaskCard key={task.id} task={task} plan={plan} onEdit={onEdit} />
            ))}
        </PhaseSection>
      ))}
      {plan.integration ? (
        <PhaseSection
          name="Integration"
          title={plan.integration.title}
          note="combines all work in one change, without conflicts"
        >
          <p className="text-sm whitespace-pre-wrap text-muted">{plan.integration.description}</p>
        </PhaseSection>
      ) : (
        <p className="rounded-md bg-danger-soft px-3 py-2 text-danger">
          This plan has no integration phase and cannot be approved.
        </p>
      )}
    </div>
  );
}

interface PhaseSectionProps {
  readonly name: string;
  readonly title: string;
  readonly note: string;
  readonly action?: React.ReactNode;
  readonly children: React.ReactNode;
}

function PhaseSection({ name, title, note, action, children }: PhaseSectionProps) {
  return (
    <section className="border-l-2 pl-3" aria-label={title === "" ? name : `${name}: ${title}`}>
      <header className="mb-1 flex min-h-6 items-start gap-2">
        <div className="min-w-0 flex-1">
          <h4 dir="auto" className="font-medium text-pretty break-words">
            {title || name}
          </h4>
          <p className="text-xs text-faint">{title === "" ? note : `${name}: ${note}`}</p>
        </div>
        {action}
      </header>
      <div className="flex flex-col gap-1.5">{children}</div>
    </section>
  );
}

interface TaskCardProps {
  readonly task: PlannedTask;
  readonly plan: Plan;
  readonly onEdit: OnEdit;
}

function TaskCard({ task, plan, onEdit }: TaskCardProps) {
  const set = (patch: TaskPatch): void => onEdit({ kind: "change", task: task.id, patch });
  const possible = possiblePredecessors(plan, task.id);
  const before = task.after.map((id) => plan.tasks.find((other) => other.id === id)?.title ?? id);
  return (
    <article
      className="rounded-md border bg-surface px-2.5 py-2"
      aria-label={`Task ${task.title}`}
      data-plan-task={task.id}
    >
      <div className="flex items-start gap-2">
        <Menu
          trigger={
            <button
              type="button"
              aria-label={`Priority: ${task.priority}`}
              className="inline-flex size-6 items-center justify-center rounded-sm hover:bg-hover"
            >
              <PriorityIcon priority={task.priority} />
            </button>
          }
          entries={priorityEntries(task.priority, (priority) => set({ priority }))}
        />
        {/* One line, however many it takes to be read. */}
        <TextArea
          aria-label="Title"
          className="field-sizing-content min-h-6! flex-1 resize-none py-0.5 font-medium"
          rows={1}
          value={task.title}
          onChange={(event) => set({ title: onOneLine(event.target.value) })}
        />
        <IconButton
          label={`Remove ${task.title}`}
          icon={<Trash2 size={13} />}
          onClick={() => onEdit({ kind: "remove", task: task.id })}
        />
      </div>
      <TextArea
        aria-label="Description"
        className="mt-1.5 field-sizing-content min-h-9! resize-none text-sm"
        rows={2}
        value={task.description}
        onChange={(event) => set({ description: event.target.value })}
      />
      <div className="mt-1 flex flex-wrap items-center gap-1.5">
        <Files files={[...task.files, ...(task.symbols ?? [])]} />
        {before.length > 0 && <span className="text-xs text-faint">after {before.join(", ")}</span>}
        {possible.length > 0 && (
          <Menu
            trigger={<LinkButton className="px-1 text-xs">Waits for…</LinkButton>}
            entries={waitsForEntries(task, possible, { onEdit })}
          />
        )}
        {task.delegate !== true && (
          <Menu
            trigger={
              <LinkButton className="max-w-full truncate px-1 text-xs">
                {agentsNote(task) === "" ? "Agent…" : `By ${agentsNote(task)}`}
              </LinkButton>
            }
            entries={agentEntries(task, { onEdit, onOther: () => inspect(keyOfPart(taskPart(task.id))) })}
          />
        )}
        {task.delegate === true && <Badge tone="accent">led by its own orchestrator</Badge>}
        {task.delegate === true && task.budget && (
          <span className="text-xs text-faint">{describeBudget(task.budget)}</span>
        )}
        <LinkButton
          title={
            task.delegate === true
              ? "Done by one agent"
              : "A separate orchestrator plans it and leads several agents"
          }
          className="px-1 text-xs"
          onClick={() => set({ delegate: task.delegate !== true })}
        >
          {task.delegate === true ? "Assign to a single agent" : "Delegate…"}
        </LinkButton>
      </div>
    </article>
  );
}

function Files({ files }: { readonly files: readonly string[] }) {
  if (files.length === 0) return null;
  return (
    <span className="flex flex-wrap gap-1">
      {files.map((file) => (
        <FileName key={file} path={file} className="font-mono text-xs text-muted" />
      ))}
    </span>
  );
}

/** A title that was pasted with line breaks. */
const onOneLine = (text: string): string =>
  text.includes("\n")
    ? text
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "")
        .join(" ")
    : text;
