import { X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import {
  agentAt,
  attemptsAt,
  contextAt,
  type Plan,
  type PlannedTask,
  possiblePredecessors,
  type TaskContext,
  taskContexts,
} from "#shared/domain/plan/plan.ts";
import type { PlanEdit, TaskPatch } from "#shared/domain/plan/plan-edit.ts";
import { whyNot } from "#shared/domain/worker/agent-capabilities.ts";
import { tokens } from "../../kit/amounts.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { Field, TextArea, TextInput } from "../../kit/field.tsx";
import { focusSoon } from "../../kit/focus-soon.ts";
import { isTyping } from "../../kit/key-table.ts";
import { Menu } from "../../kit/menu.tsx";
import { PriorityIcon, priorityEntries } from "../../kit/status-icon.tsx";
import { agentOfChoice, useAgentChoices } from "../../state/agent-choices.ts";
import { useHost } from "../../state/host-store.ts";
import { AgentField } from "../agent/agent-field.tsx";
import { attemptEntries, phaseEntries } from "./plan-actions.ts";

export type OnEdit = (...edits: readonly PlanEdit[]) => void;

interface TaskFieldsProps {
  readonly task: PlannedTask;
  readonly plan: Plan;
  readonly onEdit: OnEdit;
  /** The title takes the focus, to be typed over; `onNamed` tells when it has it. */
  readonly named?: boolean;
  readonly onNamed?: () => void;
  /** False: its agent has begun, so phase, context and what it waits for are settled. */
  readonly movable?: boolean;
  /** Whose plan it is. */
  readonly orchestrator: string;
}

/** Everything that is written about one planned task. Each change is an edit at once; who shows it says where to. */
export function TaskFields(props: TaskFieldsProps) {
  const { task, plan, onEdit, named = false, onNamed, movable = true, orchestrator } = props;
  const set = (patch: TaskPatch): void => onEdit({ kind: "change", task: task.id, patch });
  const title = useNamed(named, onNamed);
  return (
    <>
      <Field label="Title">
        <TextInput ref={title} value={task.title} onChange={(event) => set({ title: event.target.value })} />
      </Field>
      <Field label="Description" hint={contextHints[contextAt(task)]}>
        <TextArea
          rows={5}
          className="field-sizing-content"
          value={task.description}
          onChange={(event) => set({ description: event.target.value })}
        />
      </Field>
      <FilesField files={task.files} onChange={(files) => set({ files })} />
      {task.delegate !== true && <AgentFields task={task} isBegun={!movable} onChange={set} />}
      <div className="grid grid-cols-[88px_1fr] items-center gap-x-2 gap-y-1.5 text-sm">
        <span className="text-faint">Priority</span>
        <Menu
          trigger={
            <Button size="sm" className="w-fit" aria-label={`Priority: ${task.priority}`}>
              <PriorityIcon priority={task.priority} /> {task.priority}
            </Button>
          }
          entries={priorityEntries(task.priority, (priority) => set({ priority }))}
        />
        {task.delegate !== true && (
          <>
            <span className="text-faint">Attempts</span>
            <Menu
              trigger={
                <Button size="sm" className="w-fit">
                  <span className="sr-only">Attempts: {attemptsAt(task)},</span>
                  {attemptsAt(task) === 1 ? "once" : `${attemptsAt(task)} times, and choose one`}
                </Button>
              }
              entries={attemptEntries(task, { onEdit })}
            />
          </>
        )}
        {movable && (
          <>
            <span className="text-faint">Phase</span>
            <Menu
              trigger={
                <Button size="sm" className="w-fit max-w-full">
                  <span className="sr-only">Phase:</span>{" "}
                  <span className="truncate">
                    {task.phase}:{" "}
                    {plan.phases.find(({ number }) => number === task.phase)?.title ?? "not listed"}
                  </span>
                </Button>
              }
              entries={phaseEntries(task, plan, { onEdit })}
            />
            <span className="self-start pt-1 text-faint">Waits for</span>
            <WaitsFor task={task} plan={plan} onEdit={onEdit} />
            <span className="self-start pt-1 text-faint">Context</span>
            <ContextField task={task} orchestrator={orchestrator} onChange={(context) => set({ context })} />
          </>
        )}
      </div>
    </>
  );
}

/** Who works on a task: one field for each attempt. Those of a task that has begun are settled. */
function AgentFields({
  task,
  isBegun,
  onChange,
}: {
  readonly task: PlannedTask;
  readonly isBegun: boolean;
  readonly onChange: (patch: TaskPatch) => void;
}) {
  const ofRun = useHost(({ run }) => run?.agentModel ?? "");
  const attempts = attemptsAt(task);
  const { agents = [] } = task;
  if (isBegun) return null;
  return Array.from({ length: attempts }, (_, at) => {
    const others = Array.from({ length: attempts }, (_, nth) => agents[nth] ?? agents[0] ?? "");
    return (
      <AgentField
        // biome-ignore lint/suspicious/noArrayIndexKey: an attempt is its number
        key={at}
        label={attempts === 1 ? "Agent" : `Agent of attempt ${at + 1}`}
        value={others[at] ?? ""}
        placeholder={`the run’s: ${ofRun}`}
        onChange={(choice) => onChange({ agents: others.with(at, choice) })}
      />
    );
  });
}

const contextHints: Readonly<Record<TaskContext, string>> = {
  fresh: "The agent’s instructions. The agent does not see the rest of the plan.",
  inherit: "The agent’s instructions, added after the inherited conversation.",
};

/** The field of a task that was just added takes the focus, so that its title can be typed. */
function useNamed(wanted: boolean, onNamed: (() => void) | undefined) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!wanted) return;
    field.current?.focus();
    field.current?.select();
    // The menu that it was asked for in gives the focus back to what was under it, in the frames after. A field that the user
    // went to meanwhile keeps it.
    focusSoon(() => {
      const { activeElement: now } = document;
      return now instanceof HTMLElement && isTyping(now) ? now : field.current;
    });
    onNamed?.();
  }, [wanted, onNamed]);
  return field;
}

/** What it knows at first, and what that costs as far as it is known. */
function ContextField({
  task,
  orchestrator,
  onChange,
}: {
  readonly task: PlannedTask;
  readonly orchestrator: string;
  readonly onChange: (context: TaskContext) => void;
}) {
  const size = useHost(
    ({ run }) => run?.workers.find(({ name }) => name === orchestrator)?.contextTokens ?? 0,
  );
  const context = contextAt(task);
  const choices = useAgentChoices();
  const ofRun = useHost(({ run }) => run?.agentModel ?? "");
  const limit = whyNot(agentOfChoice(choices, agentAt(task, 1) ?? ofRun), "inherit");
  const labels: Readonly<Record<TaskContext, string>> = {
    fresh: "Fresh",
    inherit: `Inherit from ${orchestrator}`,
  };
  const costs: Readonly<Record<TaskContext, string>> = {
    fresh: "Knows only this task. Lowest cost.",
    inherit: `Also knows the conversation of ${orchestrator}${size === 0 ? "" : `, now ${tokens(size)} tokens`}. Every request of its first iteration pays for them again, at a tenth of the price from the cache. Without contracts, the first agent that inherits pays the full price once. Uses the model of ${orchestrator} during that iteration.`,
  };
  return (
    <div className="flex min-w-0 flex-col items-start gap-1">
      <Menu
        trigger={
          <Button size="sm" className="w-fit max-w-full">
            <span className="sr-only">Context:</span> {labels[context]}
          </Button>
        }
        entries={taskContexts.map((one) => ({
          label: labels[one],
          checked: one === context,
          reason: one === "inherit" ? limit : null,
          onSelect: () => onChange(one),
        }))}
      />
      <p className="text-muted">{(context === "inherit" && limit) || costs[context]}</p>
    </div>
  );
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
            label={`Remove dependency on ${plan.tasks.find((one) => one.id === id)?.title ?? id}`}
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
export function FilesField({
  files,
  onChange,
}: {
  readonly files: readonly string[];
  readonly onChange: (files: readonly string[]) => void;
}) {
  const [typed, setTyped] = useState(files.join("\n"));
  const named = (text: string): readonly string[] => text.split("\n").flatMap((line) => line.trim() || []);
  const shown = named(typed).join("\n") === files.join("\n") ? typed : files.join("\n");
  return (
    <Field label="Files it may change" hint="Paths, folders ending in /, or globs; one per line.">
      <TextArea
        rows={3}
        spellCheck={false}
        className="field-sizing-content font-mono text-xs"
        value={shown}
        onChange={(event) => {
          setTyped(event.target.value);
          onChange(named(event.target.value));
        }}
      />
    </Field>
  );
}
