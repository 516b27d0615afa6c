/** Edits of the plan of an active run: sent, and remembered so that one key undoes them. */

import { create } from "zustand";
import type { OrchestratorView, RunView } from "#shared/contract/views/run.ts";
import { isRoot } from "#shared/domain/change-metadata/address.ts";
import type { Plan, PlannedTask, PlanProblem } from "#shared/domain/plan/plan.ts";
import { checkPlan } from "#shared/domain/plan/plan-check.ts";
import { editPlanBy, editsBetweenPlans, type PlanEdit } from "#shared/domain/plan/plan-edit.ts";
import type { Outlines } from "#shared/domain/symbols/outline.ts";
import { client } from "../client.ts";
import { type Amendment, recordEdit } from "./edit-history.ts";
import { useHost } from "./host-store.ts";
import { type PlanDraft, shownDraft, usePlanDrafts } from "./plan-draft.ts";

interface AmendableRun extends Pick<RunView, "endedAt"> {
  readonly orchestrators: readonly Pick<OrchestratorView, "name" | "planApproved" | "stage" | "plan">[];
}

/** The plan of an orchestrator (default: the root) that can still be changed; null when there is none. */
export function amendablePlan(run: AmendableRun | null, orchestrator?: string): Plan | null {
  if (!run || run.endedAt !== null) return null;
  const own = run.orchestrators.find(({ name }) =>
    orchestrator === undefined ? isRoot(name) : name === orchestrator,
  );
  if (!own?.planApproved || (own.stage !== "executing" && own.stage !== "integrating")) return null;
  return own.plan;
}

/** Null where nothing would have to be taken back. */
export function amendmentOf(orchestrator: string, plan: Plan, edits: readonly PlanEdit[]): Amendment | null {
  const changed = editPlanBy(plan, edits);
  if (changed.kind === "refused") return null;
  const inverse = editsBetweenPlans(changed.plan, plan);
  if (inverse.length === 0) return null;
  const ids = new Set([...plan.tasks, ...changed.plan.tasks].map(({ id }) => id));
  const touched = [...ids].filter((id) => !isSameTask(taskOf(plan, id), taskOf(changed.plan, id)));
  const as = (of: Plan) => Object.fromEntries(touched.map((id) => [id, taskOf(of, id)]));
  return { orchestrator, edits, inverse, after: as(changed.plan), before: as(plan) };
}

const taskOf = ({ tasks }: Plan, id: string): PlannedTask | null =>
  tasks.find((task) => task.id === id) ?? null;

/** @throws what the host refuses it with */
export async function amendPlan(orchestrator: string, edits: readonly PlanEdit[]): Promise<void> {
  const plan = amendablePlan(useHost.getState().run, orchestrator);
  const amendment = plan && amendmentOf(orchestrator, plan, edits);
  await client.plan.amend({ orchestrator, edits: [...edits] });
  if (plan && amendment) recordEdit(formatAmendment(plan, edits), { kind: "amendment", ...amendment });
}

/** Which task was changed how, as the text after “Undone:” in a notice. */
export function formatAmendment(plan: Plan, edits: readonly PlanEdit[]): string {
  const [edit] = edits;
  const others = edits.length > 1 && edits.some((one) => idOf(one) !== (edit && idOf(edit)));
  if (edit === undefined || others) return "the change to the plan";
  const title = edit.kind === "add" ? edit.task.title : titleIn(plan, idOf(edit));
  if (edits.length > 1) return `the change to “${title}”`;
  switch (edit.kind) {
    case "add":
      return `the new task “${title}”`;
    case "remove":
      return `the removal of “${title}”`;
    case "move":
      return `“${title}” in phase ${edit.phase}`;
    case "link":
    case "unlink":
      return `the dependencies of “${title}”`;
    case "change":
      return `the change to “${title}”`;
    default:
      return "the change to the plan";
  }
}

const idOf = (edit: PlanEdit): string | null =>
  !("task" in edit) ? null : typeof edit.task === "string" ? edit.task : edit.task.id;
const titleIn = (plan: Plan, id: string | null): string =>
  plan.tasks.find((task) => task.id === id)?.title ?? id ?? "";

export type AmendmentTakenBack =
  | { readonly kind: "done"; readonly next: Amendment }
  | { readonly kind: "refused"; readonly why: string; readonly changeId: string | null };

/** Undoes an amendment where no work is built on it. */
export async function takeBackAmendment(remembered: Amendment): Promise<AmendmentTakenBack> {
  const { run } = useHost.getState();
  const plan = amendablePlan(run, remembered.orchestrator);
  if (!run || plan === null)
    return { kind: "refused", why: "The plan can no longer be changed.", changeId: null };
  const { orchestrator, inverse, edits, after, before } = underNewNames(remembered, plan, run);
  const workerOf = (task: string) =>
    run.workers.find((worker) => worker.parent === orchestrator && worker.task === task) ?? null;
  for (const [id, expected] of Object.entries(after)) {
    if (!isSameTask(taskOf(plan, id), expected)) {
      const title = taskOf(plan, id)?.title ?? expected?.title ?? id;
      return {
        kind: "refused",
        why: `“${title}” was changed in the meantime.`,
        changeId: workerOf(id)?.changeId ?? null,
      };
    }
    const worker = workerOf(id);
    const hasStarted =
      worker !== null && (worker.status !== "open" || worker.iteration > 0 || worker.workspace !== null);
    if (before[id] === null && hasStarted)
      return {
        kind: "refused",
        why: `${worker.name} works on “${expected?.title ?? id}”. To remove the task, use its menu.`,
        changeId: worker.changeId,
      };
  }
  await client.plan.amend({ orchestrator, edits: [...inverse] });
  return {
    kind: "done",
    next: { orchestrator, edits: inverse, inverse: edits, after: before, before: after },
  };
}

/** A task that comes back is another one to the run, which gives no name a second time. */
function underNewNames(amendment: Amendment, plan: Plan, run: RunView): Amendment {
  const taken = new Set([
    ...plan.tasks.map(({ id }) => id),
    ...run.workers.flatMap(({ parent, task }) =>
      parent === amendment.orchestrator && task !== null ? [task] : [],
    ),
  ]);
  const names = new Map<string, string>();
  for (const edit of amendment.inverse)
    if (edit.kind === "add" && taken.has(edit.task.id)) {
      const stem = edit.task.id.replace(/-again(?:-\d+)?$/u, "");
      let name = `${stem}-again`;
      for (let nth = 2; taken.has(name); nth++) name = `${stem}-again-${nth}`;
      taken.add(name);
      names.set(edit.task.id, name);
    }
  return names.size === 0 ? amendment : renamed(amendment, names);
}

function renamed(amendment: Amendment, names: ReadonlyMap<string, string>): Amendment {
  const name = (id: string): string => names.get(id) ?? id;
  const task = (one: PlannedTask): PlannedTask => ({ ...one, id: name(one.id), after: one.after.map(name) });
  const inEdit = (edit: PlanEdit): PlanEdit => {
    if (edit.kind === "add") return { ...edit, task: task(edit.task) };
    if (edit.kind === "link" || edit.kind === "unlink")
      return { ...edit, task: name(edit.task), after: name(edit.after) };
    return "task" in edit ? { ...edit, task: name(edit.task) } : edit;
  };
  const inTasks = (tasks: Amendment["after"]): Amendment["after"] =>
    Object.fromEntries(Object.entries(tasks).map(([id, one]) => [name(id), one && task(one)]));
  return {
    ...amendment,
    edits: amendment.edits.map(inEdit),
    inverse: amendment.inverse.map(inEdit),
    after: inTasks(amendment.after),
    before: inTasks(amendment.before),
  };
}

/** By what is written of it; what was left out is what it is without. */
function isSameTask(one: PlannedTask | null, other: PlannedTask | null): boolean {
  if (one === null || other === null) return one === other;
  return JSON.stringify(written(one)) === JSON.stringify(written(other));
}

const written = (task: PlannedTask) => [
  ...[task.title, task.description, task.phase, task.priority, task.files],
  ...[task.after.toSorted(), task.delegate ?? false, task.attempts ?? 1, task.agents ?? []],
];

/** What the host said last of one waiting plan. */
interface Checked {
  readonly plan: Plan | null;
  /** What of its card was shown then: a card is another one once the files of other runs are. */
  readonly shown: string;
  readonly problems: readonly PlanProblem[];
  /** Of files that several tasks claimed then. */
  readonly outlines: Outlines;
}

const unchecked: Checked = { plan: null, shown: "", problems: [], outlines: new Map() };

/** By the id of the inbox item: plans of several parts may name their tasks alike. */
const useChecked = create<{ readonly byItem: ReadonlyMap<string, Checked> }>(() => ({ byItem: new Map() }));

const pauseMs = 250;
let timer: ReturnType<typeof setTimeout> | undefined;

/** What the plan alone does not say. */
const isHostsOwn = (kind: PlanProblem["kind"]): boolean => kind === "import" || kind === "taken";

/** Problems of a plan as far as they are known. Until the host has answered, its last word on imports and other runs stays. */
function problemsNow(plan: Plan, checked: Checked): readonly PlanProblem[] {
  if (checked.plan === plan) return checked.problems;
  const ids = new Set(plan.tasks.map((task) => task.id));
  const known = new Set<string>();
  const all = [
    ...checkPlan(plan, null, checked.outlines),
    ...checked.problems.filter(({ kind }) => isHostsOwn(kind)),
  ];
  return all.filter((problem) => {
    if (known.has(problem.text) || (isHostsOwn(problem.kind) && !problem.tasks.every((id) => ids.has(id))))
      return false;
    known.add(problem.text);
    return true;
  });
}

const memo = new WeakMap<Plan, { readonly checked: Checked; readonly problems: readonly PlanProblem[] }>();

/** Problems of the plan of an inbox item, as it is edited. */
export function useProblems(item: string | null, plan: Plan | null): readonly PlanProblem[] {
  return useChecked(({ byItem }) => {
    if (item === null || plan === null) return none;
    const checked = byItem.get(item) ?? unchecked;
    const known = memo.get(plan);
    if (known?.checked === checked) return known.problems;
    const problems = problemsNow(plan, checked);
    memo.set(plan, { checked, problems });
    return problems;
  });
}

const none: readonly PlanProblem[] = [];

/** What the host knows of files that tasks of the plan of an inbox item share. */
export const outlinesOf = (item: string): Outlines =>
  (useChecked.getState().byItem.get(item) ?? unchecked).outlines;

/** Asks the host about the plan that is shown whenever it has come to rest. */
export function checkShownPlan(): void {
  usePlanDrafts.subscribe((state) => {
    const draft = shownDraft(state);
    clearTimeout(timer);
    if (draft === null) return;
    const known = useChecked.getState().byItem.get(draft.item.id);
    if (draft.plan === known?.plan && draft.item.shown === known.shown) return;
    timer = setTimeout(() => void ask(draft), pauseMs);
  });
}

async function ask({ item, plan }: PlanDraft): Promise<void> {
  try {
    const { problems, outlines } = await client.plan.check({
      run: item.run,
      orchestrator: item.orchestrator,
      plan,
    });
    useChecked.setState(({ byItem }) => ({
      byItem: new Map(byItem).set(item.id, {
        ...{ plan, shown: item.shown, problems },
        outlines: new Map(Object.entries(outlines)),
      }),
    }));
  } catch {
    // What the plan alone says stays on screen; the host checks again when it is approved.
  }
}
