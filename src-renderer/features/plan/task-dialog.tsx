import { ListTree } from "lucide-react";
import { useState } from "react";
import { type Plan, possiblePredecessors } from "#shared/domain/plan/plan.ts";
import { blankTask, editPlanBy, editsBetween, type PlanEdit } from "#shared/domain/plan/plan-edit.ts";
import { outcomeOf, problemGroups } from "#shared/domain/plan/problem-texts.ts";
import { Button } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { failureText } from "../../kit/failure-line.tsx";
import type { MenuEntry } from "../../kit/menu.tsx";
import { useLoadedChoices } from "../../state/agent-choices.ts";
import { useHost } from "../../state/host-store.ts";
import { notify } from "../../state/notify.ts";
import { amendablePlan, amendPlan } from "../../state/plan-amendment.ts";
import { useSubmit } from "../../state/use-loaded.ts";
import { act, agentOf } from "../agent/agent-actions.ts";
import {
  agentEntries,
  amend,
  askForTask,
  attemptEntries,
  closeTaskDialog,
  phaseEntries,
  type RunningTask,
  removeTask,
  runningTask,
  useTaskDialog,
  waitsForEntries,
} from "./plan-actions.ts";
import { TaskFields } from "./task-fields.tsx";

/** Mounted once, like the other dialogs: a new task of the active run, or one to change. */
export function TaskDialog() {
  const open = useTaskDialog((state) => state.open);
  const plan = useHost((state) => amendablePlan(state.run, open?.orchestrator));
  const phase = useHost((state) => state.run?.phase ?? 1);
  useLoadedChoices();
  if (!open || !plan) return null;
  if (open.kind === "add")
    return <TaskForm key="add" plan={plan} id={null} phase={open.phase ?? Math.max(1, phase)} />;
  return <TaskForm key={open.task} plan={plan} id={open.task} phase={phase} />;
}

interface TaskFormProps {
  readonly plan: Plan;
  /** Null: a new task. */
  readonly id: string | null;
  readonly phase: number;
}

/** A plan of the form's own, with the task that is written: it is sent as a whole, and forgotten with the dialog. */
function useTaskForm({ plan, id, phase }: TaskFormProps) {
  const open = useTaskDialog((state) => state.open);
  const [before] = useState(plan);
  const [form, setForm] = useState(() => {
    if (id !== null) return before;
    const task = {
      ...blankTask(before, phase),
      title: "",
      after: open?.kind === "add" ? open.after : [],
    };
    return { ...before, tasks: [...before.tasks, task] };
  });
  const taskId = id ?? form.tasks.at(-1)?.id;
  const edit = (...edits: readonly PlanEdit[]): void => {
    const result = editPlanBy(form, edits);
    if (result.kind === "edited") setForm(result.plan);
  };
  const movable = useHost(({ run }) => {
    const worker = run?.workers.find((one) => one.task === id && one.parent === open?.orchestrator);
    return !worker || (worker.status === "open" && worker.iteration === 0 && worker.workspace === null);
  });
  return {
    orchestrator: open?.orchestrator ?? null,
    before,
    form,
    task: form.tasks.find((one) => one.id === taskId),
    /** As it was; undefined for a new one. */
    known: before.tasks.find((one) => one.id === id),
    movable,
    edit,
  };
}

function TaskForm(props: TaskFormProps) {
  const { orchestrator, before, form, task, known, movable, edit } = useTaskForm(props);
  const { sending, failure, submit } = useSubmit<"sending">();
  if (!task || orchestrator === null) return null;
  const edits = known ? editsBetween(known, task) : [{ kind: "add" as const, task }];
  const outcome = outcomeOf(before, edits);
  const refusal =
    task.title.trim() === "" ? "Enter a title." : outcome.kind === "refused" ? outcome.reason : null;

  const send = (): Promise<void> =>
    submit("sending", async () => {
      await amendPlan(orchestrator, edits);
      closeTaskDialog();
      notify("info", known ? `“${task.title}” was changed.` : `“${task.title}” was added to the run.`);
    });
  return (
    <Dialog
      open
      onClose={closeTaskDialog}
      title={known ? `Task “${known.title}”` : "Add a task to the run"}
      description={
        known
          ? "Its agent gets the changes with its next iteration."
          : "The task gets its own change on the graph, and an agent when it is next in the queue."
      }
      width="w-[560px]"
      actions={
        <>
          <Button onClick={closeTaskDialog}>Cancel</Button>
          <Button
            look="primary"
            disabled={refusal !== null || sending !== null || edits.length === 0}
            onClick={() => void send()}
          >
            {known ? "Change" : "Add"}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <TaskFields
          task={task}
          plan={form}
          named={known === undefined}
          movable={movable}
          orchestrator={orchestrator}
          onEdit={edit}
        />
        {outcome.kind === "possible" &&
          problemGroups(outcome.plan, outcome.made).map((problem) => (
            <p key={problem.key} className="rounded-md bg-warning-soft px-2.5 py-1.5 text-sm text-warning">
              {problem.text}
            </p>
          ))}
        <p
          role={failure ? "alert" : "status"}
          className={cx(
            "min-h-5 text-sm",
            failure || outcome.kind === "refused" ? "text-danger" : "text-muted",
          )}
        >
          {failure ? failureText(failure) : (refusal ?? "")}
        </p>
      </div>
    </Dialog>
  );
}

const editTask = ({ orchestrator, task }: Pick<RunningTask, "orchestrator" | "task">): void =>
  useTaskDialog.setState({ open: { kind: "edit", orchestrator, task: task.id } });

/** How many agents try a task by now. */
function activeAttempts({ orchestrator, task }: RunningTask): number {
  const groups = useHost.getState().run?.attempts ?? [];
  const group = groups.find((one) => one.orchestrator === orchestrator && one.task === task.id);
  return group?.attempts.length ?? 1;
}

/** Who works on a task. One that has begun keeps its files and gets another agent. */
function agentEntry(found: RunningTask, changeId: string): MenuEntry {
  const { orchestrator, task, status } = found;
  if (status === "open")
    return {
      label: "Agent",
      items: agentEntries(task, {
        onEdit: (edit) => void amend(`The agent of “${task.title}” was not changed`, orchestrator, edit),
        onOther: () => editTask(found),
      }),
    };
  const worker = agentOf(changeId);
  return {
    label: "Give it to another agent…",
    disabled: !worker?.can.has("reassign"),
    onSelect: () => worker && act("reassign", worker.worker.name),
  };
}

/** The submenu of a change that is a task of the active run; nothing for any other change. */
export function taskSubmenu(changeId: string): readonly MenuEntry[] {
  const found = runningTask(useHost.getState().run, changeId);
  if (!found || found.status === "abandoned") return [];
  const { orchestrator, plan, task, status } = found;
  const others = plan.tasks.filter(
    (other) => task.after.includes(other.id) || possiblePredecessors(plan, task.id).includes(other),
  );
  const isFixed = status !== "open";
  return [
    {
      label: "Plan",
      command: "plan.amend",
      icon: <ListTree size={14} />,
      items: [
        {
          label: "Edit the task…",
          disabled: status === "done",
          onSelect: () => editTask(found),
        },
        {
          label: "Add a dependent task…",
          onSelect: () => askForTask(task.phase, [task.id], orchestrator),
        },
        {
          label: "Waits for",
          items:
            others.length === 0
              ? [{ label: "No other task can be a dependency", disabled: true, onSelect: () => undefined }]
              : waitsForEntries(task, others, {
                  isFixed,
                  onEdit: (edit) =>
                    void amend(`The dependencies of “${task.title}” were not changed`, orchestrator, edit),
                }),
        },
        {
          label: "Phase",
          items: phaseEntries(task, plan, {
            isFixed,
            onEdit: (edit) => void amend(`The phase of “${task.title}” was not changed`, orchestrator, edit),
          }),
        },
        agentEntry(found, changeId),
        {
          label: "Try this task",
          items: attemptEntries(
            task,
            {
              isFixed: status === "done",
              onEdit: (edit) =>
                void amend(`The attempts of “${task.title}” were not changed`, orchestrator, edit),
            },
            activeAttempts(found),
          ),
        },
        "separator",
        {
          label: "Remove from the run…",
          danger: true,
          disabled: status === "done",
          onSelect: () => void removeTask(found),
        },
      ],
    },
  ];
}
