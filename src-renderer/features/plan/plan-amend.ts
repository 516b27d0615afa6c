/** Changes the plan of an active run: for a task's menu, the canvas and the palette. */
import { create } from "zustand";
import type { RunView } from "#shared/contract/views/run.ts";
import type { WorkerView } from "#shared/contract/views/worker.ts";
import { isRoot } from "#shared/domain/graph-words/address.ts";
import type { Plan, PlannedTask } from "#shared/domain/plan/plan.ts";
import type { PlanEdit } from "#shared/domain/plan/plan-edit.ts";
import type { TaskStatus } from "#shared/domain/plan/plan-in-run.ts";
import { confirm } from "../../kit/confirm.tsx";
import { useHost, workersByChange } from "../../state/host-store.ts";
import { attempt } from "../../state/notify.ts";
import { amendablePlan, amendPlan } from "../../state/plan-amendment.ts";

/** A task of an approved plan, and how far it has come. */
export interface RunningTask {
  readonly orchestrator: string;
  readonly plan: Plan;
  readonly task: PlannedTask;
  readonly status: TaskStatus;
}

const taskStatusOfView = ({ status, iteration, workspace }: WorkerView): TaskStatus =>
  status === "done" || status === "abandoned"
    ? status
    : status === "open" && iteration === 0 && workspace === null
      ? "open"
      : "begun";

/** The task that a change is, as long as its plan can be changed. */
export function runningTask(run: RunView | null, changeId: string): RunningTask | null {
  const worker = run && workersByChange(run.workers).get(changeId);
  if (!worker?.task || worker.parent === null) return null;
  const plan = amendablePlan(run, worker.parent);
  const task = plan?.tasks.find(({ id }) => id === worker.task);
  return plan && task ? { orchestrator: worker.parent, plan, task, status: taskStatusOfView(worker) } : null;
}

export const amend = (tried: string, orchestrator: string, ...edits: readonly PlanEdit[]): Promise<boolean> =>
  attempt(tried, () => amendPlan(orchestrator, edits));

/** The task that is being written: a new one, or one of the plan. */
export const useTaskDialog = create<{
  readonly open:
    | null
    | {
        readonly kind: "add";
        readonly orchestrator: string;
        readonly phase: number | null;
        readonly after: readonly string[];
      }
    | { readonly kind: "edit"; readonly orchestrator: string; readonly task: string };
}>(() => ({ open: null }));

export const closeTaskDialog = (): void => useTaskDialog.setState({ open: null });

/** Asks for a task to add to the run; without a phase, to the active one. */
export function askForTask(phase: number | null = null, after: readonly string[] = [], of?: string): void {
  const { run } = useHost.getState();
  const orchestrator = of ?? run?.orchestrators.find(({ name }) => isRoot(name))?.name;
  if (orchestrator !== undefined && amendablePlan(run, orchestrator))
    useTaskDialog.setState({ open: { kind: "add", orchestrator, phase, after } });
}

export async function removeTask({ orchestrator, task, status }: RunningTask): Promise<void> {
  const yes = await confirm({
    title: "Remove this task from the run?",
    body:
      status === "open"
        ? `“${task.title}” has not started. Tasks that depend on it will depend on its dependencies instead.`
        : `“${task.title}” is in progress. Its agent stops after the current turn, and its change is removed from the graph. You can restore it from the operation log.`,
    action: "Remove",
    danger: true,
  });
  if (yes) await amend(`“${task.title}” was not removed`, orchestrator, { kind: "remove", task: task.id });
}
