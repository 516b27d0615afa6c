/** What can be done with a part of a proposed plan: for its menu, its keys, and the palette. */
import { create } from "zustand";
import type { RunView, WorkerView } from "#shared/contract/views/run.ts";
import { isRoot } from "#shared/domain/change-metadata/address.ts";
import { type Priority, priorities } from "#shared/domain/change-metadata/metadata.ts";
import type { PlanProblem } from "#shared/domain/plan/plan.ts";
import {
  agentAt,
  attemptsAt,
  type Plan,
  type PlannedTask,
  possiblePredecessors,
  withAnotherAgent,
} from "#shared/domain/plan/plan.ts";
import { blankTask, type PlanEdit } from "#shared/domain/plan/plan-edit.ts";
import type { TaskStatus } from "#shared/domain/plan/plan-in-run.ts";
import { formatPlanProblem } from "#shared/domain/plan/problem-texts.ts";
import { type PlanPart, taskOfPart, taskPart } from "#shared/graph/plan-layout.ts";
import { confirm } from "../../kit/dialog.tsx";
import type { MenuEntry } from "../../kit/menu.tsx";
import { withRefusals } from "../../registry/registry.ts";
import { agentChoices } from "../../state/agent-choices.ts";
import { answer } from "../../state/answer.ts";
import { useHost, workersByChange } from "../../state/host-store.ts";
import { attempt } from "../../state/notify.ts";
import { amendablePlan, amendPlan } from "../../state/plan-amendment.ts";
import {
  chooseDraft,
  editDraft,
  isEdited,
  type PlanDraft,
  shownDraft,
  usePlanDrafts,
} from "../../state/plan-draft.ts";
import { cancelLink, takeUpTask } from "../../state/plan-link-store.ts";
import { isRefused } from "../../state/role.ts";
import { inspect, type RowKey, select, useSelection } from "../../state/selection-store.ts";

/** The task whose title waits to be typed: its field takes the focus when it is shown. */
export const useToBeNamed = create<{ readonly task: string | null }>(() => ({ task: null }));

const shown = (): PlanDraft | null => shownDraft(usePlanDrafts.getState());

/** Puts another waiting plan on the graph. A part of the one before is no longer what is selected or linked. */
export function showPlan(id: string): void {
  if (shown()?.item.id === id) return;
  cancelLink();
  if (partOfKey(useSelection.getState().selected) !== null) select(null);
  chooseDraft(id);
}

const prefix = "ghost:";

/** The key by which a part is selected, beside the keys of real rows. */
export const keyOfPart = (part: PlanPart): RowKey => `${prefix}${part}`;

/** The part that a key names; null for a row of the graph. */
export const partOfKey = (key: RowKey | null): PlanPart | null =>
  key?.startsWith(prefix) ? key.slice(prefix.length) : null;

/** The id of the planned task that a key names, or null. */
export const taskOfKey = (key: RowKey | null): string | null => {
  const part = partOfKey(key);
  return part === null ? null : taskOfPart(part);
};

/** A new task in a phase (default: the one of what is selected, else the first), shown to be filled in. */
export function addPlannedTask(phase?: number): void {
  const draft = shown();
  if (!draft) return;
  const { plan } = draft;
  const selectedTask = plan.tasks.find((task) => task.id === taskOfKey(useSelection.getState().selected));
  const number = phase ?? selectedTask?.phase ?? plan.phases[0]?.number ?? 1;
  const task = blankTask(plan, number);
  const edits = plan.phases.some((one) => one.number === number)
    ? []
    : [{ kind: "phase" as const, number, title: "Build" }];
  if (!editDraft(draft.item.id, ...edits, { kind: "add", task })) return;
  useToBeNamed.setState({ task: task.id });
  inspect(keyOfPart(taskPart(task.id)));
}

/** A phase after the last one, for tasks that need all of the others. */
export function addPhase(): void {
  const draft = shown();
  if (!draft) return;
  const number = 1 + Math.max(0, ...draft.plan.phases.map((phase) => phase.number));
  editDraft(draft.item.id, { kind: "phase", number, title: "New phase" });
}

export function removePlannedTask(task: string): void {
  const draft = shown();
  if (!draft) return;
  const { tasks } = draft.plan;
  const at = tasks.findIndex((one) => one.id === task);
  const next = tasks[at + 1] ?? tasks[at - 1];
  const wasSelected = taskOfKey(useSelection.getState().selected) === task;
  if (!editDraft(draft.item.id, { kind: "remove", task })) return;
  if (wasSelected) select(next ? keyOfPart(taskPart(next.id)) : null);
}

/** A part that is no longer there, because the plan was approved or an edit undone, is no longer what is selected. */
export const deselectGoneParts = (): void =>
  void usePlanDrafts.subscribe((state) => {
    const part = partOfKey(useSelection.getState().selected);
    if (part === null) return;
    const plan = shownDraft(state)?.plan;
    const task = taskOfPart(part);
    if (!plan || (task !== null && !plan.tasks.some((one) => one.id === task))) select(null);
  });

export function prioritise(task: string, priority: Priority): void {
  const draft = shown();
  if (draft) editDraft(draft.item.id, { kind: "change", task, patch: { priority } });
}

/** To the phase before or after; the last one's next is the last. */
export function movePhase(task: string, by: 1 | -1): void {
  const draft = shown();
  const from = draft?.plan.tasks.find((one) => one.id === task)?.phase;
  if (!draft || from === undefined) return;
  const phases = draft.plan.phases.map((phase) => phase.number).sort((a, b) => a - b);
  const to = phases[phases.indexOf(from) + by];
  if (to !== undefined) editDraft(draft.item.id, { kind: "move", task, phase: to });
}

/** Who may not approve a plan does not edit it. */
export const editCommand = "inbox.answer" as const;

/** The menu of one part, the same on the canvas and in the log. */
export function planPartMenu(part: PlanPart): readonly MenuEntry[] {
  const command = editCommand;
  const draft = shown();
  if (!draft) return [];
  const { plan, item } = draft;
  const show: MenuEntry = {
    label: "Show in the inspector",
    keys: "Enter",
    onSelect: () => inspect(keyOfPart(part)),
  };
  const id = taskOfPart(part);
  const task = plan.tasks.find((one) => one.id === id);
  if (!task)
    return withRefusals([
      show,
      { label: "Add a task", keys: "n", command, onSelect: () => addPlannedTask() },
    ]);
  const possible = possiblePredecessors(plan, task.id);
  const onEdit = (edit: PlanEdit): void => void editDraft(item.id, edit);
  const waiting = plan.tasks.filter((one) => task.after.includes(one.id) && !possible.includes(one));
  return withRefusals([
    show,
    { label: "Add a task to this phase", keys: "n", command, onSelect: () => addPlannedTask(task.phase) },
    "separator",
    {
      label: "Waits for",
      command,
      items: [
        { label: "Choose on the graph…", keys: "l", onSelect: () => void takeUpTask(task.id, "keyboard") },
        ...(possible.length + waiting.length > 0 ? (["separator"] as const) : []),
        ...waitsForEntries(task, [...waiting, ...possible], { onEdit }),
      ],
    },
    {
      label: "Phase",
      command,
      items: phaseEntries(task, plan, { onEdit }),
    },
    {
      label: "Agent",
      command,
      items: agentEntries(task, { onEdit, onOther: () => inspect(keyOfPart(part)) }),
    },
    { label: "Try this task", command, items: attemptEntries(task, { onEdit }) },
    {
      label: "Priority",
      command,
      items: priorities.map((priority, index) => ({
        label: priority,
        keys: String(index + 1),
        checked: priority === task.priority,
        onSelect: () => prioritise(task.id, priority),
      })),
    },
    "separator",
    {
      label: "Remove from the plan",
      command,
      keys: "Delete",
      danger: true,
      onSelect: () => removePlannedTask(task.id),
    },
  ]);
}

type OnEdit = (edit: PlanEdit) => void;

interface Choice {
  readonly onEdit: OnEdit;
  /** True: shown, but not editable. */
  readonly isFixed?: boolean;
}

/** The tasks that could come before it, with a check at those that do. */
export const waitsForEntries = (
  task: PlannedTask,
  others: readonly PlannedTask[],
  { onEdit, isFixed = false }: Choice,
): readonly MenuEntry[] =>
  others.map((other) => {
    const isChosen = task.after.includes(other.id);
    return {
      label: other.title,
      checked: isChosen,
      disabled: isFixed,
      onSelect: () => onEdit({ kind: isChosen ? "unlink" : "link", task: task.id, after: other.id }),
    };
  });

/** How many agents try it, with a check at the number that there is. @param active how many do by now */
export function attemptEntries(
  task: PlannedTask,
  { onEdit, isFixed = false }: Choice,
  active = 0,
): readonly MenuEntry[] {
  const isDisabled = isFixed || task.delegate === true;
  const times = Array.from({ length: offeredAttempts }, (_, at) => at + 1).map((attempts) => ({
    label: attempts === 1 ? "Once" : `${attempts} times, and choose one`,
    checked: attempts === attemptsAt(task),
    disabled: isDisabled,
    onSelect: () => onEdit({ kind: "change", task: task.id, patch: { attempts } }),
  }));
  const others = offeredEntries((choice) => ({
    label: choice,
    disabled: isDisabled,
    onSelect: () => {
      const agents = withAnotherAgent(task, choice, active);
      onEdit({ kind: "change", task: task.id, patch: { agents, attempts: agents.length } });
    },
  }));
  return others.length === 0
    ? times
    : [...times, "separator", { label: "Also with another agent", items: others }];
}

/** What there is to choose, with a line between agents. */
const offeredEntries = (entryOf: (choice: string) => MenuEntry): readonly MenuEntry[] =>
  agentChoices().known.flatMap(({ name }, at, all) => {
    const isOther = at > 0 && makeOf(name) !== makeOf(all[at - 1]?.name ?? "");
    return isOther ? ["separator" as const, entryOf(name)] : [entryOf(name)];
  });

const makeOf = (choice: string): string => (choice.includes("/") ? (choice.split("/")[0] ?? "") : "");

interface AgentChoiceOfTask extends Omit<Choice, "isFixed"> {
  /** Asks for a choice that is not in the list. */
  readonly onOther: () => void;
}

/** Who works on a task, or makes the first attempt at it, with a check at the one that does. */
export function agentEntries(
  task: PlannedTask,
  { onEdit, onOther }: AgentChoiceOfTask,
): readonly MenuEntry[] {
  const chosen = agentAt(task, 1);
  const { agents = [] } = task;
  const entry = (label: string, choice: string): MenuEntry => ({
    label,
    checked: (chosen ?? "") === choice,
    disabled: task.delegate === true,
    onSelect: () =>
      onEdit({ kind: "change", task: task.id, patch: { agents: [choice, ...agents.slice(1)] } }),
  });
  const isListed = chosen === null || agentChoices().known.some(({ name }) => name === chosen);
  return [
    entry(`The run’s: ${useHost.getState().run?.agentModel ?? ""}`, ""),
    ...(isListed ? [] : [entry(chosen, chosen)]),
    "separator",
    ...offeredEntries((choice) => entry(choice, choice)),
    "separator",
    { label: "Another…", onSelect: onOther },
  ];
}

/** More are a matter for a terminal. */
const offeredAttempts = 5;

/** The phases of its plan, with a check at its own. */
export const phaseEntries = (
  task: PlannedTask,
  plan: Plan,
  { onEdit, isFixed = false }: Choice,
): readonly MenuEntry[] =>
  plan.phases.map(({ number, title }) => ({
    label: `${number}: ${title}`,
    checked: number === task.phase,
    disabled: isFixed,
    onSelect: () => onEdit({ kind: "move", task: task.id, phase: number }),
  }));

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
  if (isRefused("plan.amend")) return;
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

/** What keeps a plan from being approved; null when nothing does. */
export function whyNotApproved(plan: Plan, problems: readonly PlanProblem[]): string | null {
  const fatal = problems.find((problem) => problem.severity === "fatal");
  if (fatal) return formatPlanProblem(plan, fatal);
  return plan.tasks.some((task) => task.title.trim() === "")
    ? "Give every task a title, then approve."
    : null;
}

/** What is approved is what is on screen: the proposal, or the plan as it was edited. */
export const decisionOf = (draft: PlanDraft) =>
  isEdited(draft) ? ({ kind: "approve", plan: draft.plan } as const) : ({ kind: "approve" } as const);

/** The word that lets a plan begin, from the card and from the graph alike. */
export const approvePlan = (draft: PlanDraft): Promise<boolean> => answer(draft.item, decisionOf(draft));
