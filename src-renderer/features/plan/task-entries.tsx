import { ListTree } from "lucide-react";
import { possiblePredecessors } from "#shared/domain/plan/plan-order.ts";
import type { MenuEntry } from "../../kit/menu.tsx";
import { useHost } from "../../state/host-store.ts";
import { amend, askForTask, removeTask, runningTask, useTaskDialog } from "./plan-amend.ts";
import { attemptEntries, phaseEntries, waitsForEntries } from "./plan-menus.ts";

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
      icon: <ListTree size={14} />,
      items: [
        {
          label: "Edit the task…",
          disabled: status === "done",
          onSelect: () => useTaskDialog.setState({ open: { kind: "edit", orchestrator, task: task.id } }),
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
        {
          label: "Try this task",
          items: attemptEntries(task, {
            isFixed: status === "done",
            onEdit: (edit) =>
              void amend(`The attempts of “${task.title}” were not changed`, orchestrator, edit),
          }),
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
