/**
 * The user edited tasks on the graph, in the app or with jj: the plan is updated, so that agents and reviewers read the
 * new text, and a rebased task waits for its new parents. Starts no process: the changes were just read. (design section 2)
 */
import type { Plan } from "#shared/domain/plan/plan.ts";
import { checkPlan } from "#shared/domain/plan/plan-check.ts";
import { editLine, linkedAs, waitsElsewhere } from "#shared/domain/plan/plan-edit.ts";
import { editedTaskText } from "#shared/domain/plan/task-texts.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { Change } from "#shared/graph/change.ts";
import { warn } from "../../../kernel/notify.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { orchestratorsOf, workerOnTask } from "../../../workers/hierarchy.ts";
import { amendmentOf, planUpdates, taskStatusOf } from "./plan-amendment.ts";

/** Called before the graph is read: what is read then says nothing about a plan that came since. */
export function importPlanEdits(run: Run): () => void {
  const before = new Map(plansOf(run));
  return () => {
    // Descriptions first: a plan with new dependencies differs from the one they were read for.
    for (const [orchestrator, plan] of plansOf(run))
      if (plan === before.get(orchestrator)) importDescriptions(run, orchestrator, plan);
    for (const [orchestrator, plan] of plansOf(run)) {
      const moved = movedByHand(run, orchestrator, plan);
      if (moved.length > 0) importDependencies(run, orchestrator, plan, moved);
    }
  };
}

/** Plans that are carried out. While one is amended, the graph is on its way to the plan and not the other way round. */
const plansOf = (run: RunReader): readonly (readonly [string, Plan])[] =>
  orchestratorsOf(run).flatMap((name) => {
    const { plan } = run.orchestratorFacts(name);
    const { stage } = run.stateOf(name).current;
    const isGoing = stage === "executing" || stage === "integrating";
    return plan !== null && isGoing && amendmentOf(run, name) === null ? [[name, plan] as const] : [];
  });

function importDescriptions(run: Run, orchestrator: string, plan: Plan): void {
  const imported = plan.tasks.flatMap((task) => {
    const worker = workerOnTask(run, orchestrator, task.id);
    const change = worker?.changeId ? run.changes.get(worker.changeId) : undefined;
    if (!worker || !change || change.divergent) return [];
    // What is done stays as it was asked for, whatever its change is called afterwards.
    if (["done", "abandoned"].includes(taskStatusOf(run, orchestrator, task.id))) return [];
    const { priority = task.priority } = change.metadata;
    const words = editedTaskText(task, change.description);
    const patch = priority === task.priority ? words : { ...words, priority };
    return patch === null ? [] : [{ worker, edit: { kind: "change" as const, task: task.id, patch } }];
  });
  if (imported.length === 0) return;
  const patches = new Map(imported.map(({ edit }) => [edit.task, edit.patch]));
  const tasks = plan.tasks.map((task) => ({ ...task, ...patches.get(task.id) }));
  run.append(
    { kind: "PlanRevised", orchestrator, plan: { ...plan, tasks } },
    // An agent reads its task with every prompt; an orchestrator read it once, when it planned.
    ...imported.flatMap(({ worker }) =>
      roles[worker.role].isLead
        ? planUpdates(worker.name, [`changed the description of your task: ${taskText(tasks, worker)}`])
        : [],
    ),
    ...planUpdates(
      orchestrator,
      imported.map(({ edit }) => editLine(edit)),
    ),
  );
  for (const { edit } of imported)
    run.appendTranscript("hox", { kind: "notice", text: `The user ${editLine(edit)}.` });
}

const taskText = (tasks: Plan["tasks"], { task }: WorkerRecord): string => {
  const planned = tasks.find(({ id }) => id === task);
  return [planned?.title, planned?.description].filter(Boolean).join(": ").replaceAll(/\s+/gu, " ");
};

interface Moved {
  readonly task: string;
  readonly after: readonly string[];
}

function movedByHand(run: RunReader, orchestrator: string, plan: Plan): readonly Moved[] {
  const open = new Set(
    run.stateOf(orchestrator).tasks.flatMap((one) => (one.state === "open" ? [one.task] : [])),
  );
  const byCommit = new Map<string, Change>([...run.changes.values()].map((one) => [one.commitId, one]));
  const taskOf = new Map(
    plan.tasks.flatMap(({ id }) => {
      const changeId = workerOnTask(run, orchestrator, id)?.changeId;
      return changeId ? [[changeId, id] as const] : [];
    }),
  );
  return plan.tasks.flatMap((task) => {
    const worker = workerOnTask(run, orchestrator, task.id);
    const change = worker?.changeId ? run.changes.get(worker.changeId) : undefined;
    if (!change || !worker || !roles[worker.role].canWriteTask || !open.has(task.id)) return [];
    if (taskStatusOf(run, orchestrator, task.id) !== "open") return [];
    const stands = change.parents.flatMap((commit) => taskOf.get(byCommit.get(commit)?.changeId ?? "") ?? []);
    const elsewhere = waitsElsewhere(plan, task, stands, (id) => open.has(id));
    return elsewhere ? [{ task: task.id, after: stands }] : [];
  });
}

function importDependencies(run: Run, orchestrator: string, plan: Plan, moved: readonly Moved[]): void {
  const next = moved.reduce((now, { task, after }) => linkedAs(now, task, after), plan);
  const fatal = checkPlan(next).find((problem) => problem.severity === "fatal");
  if (fatal) {
    warn(
      run,
      `A task was moved in the graph, but the plan can't be updated to match: ${fatal.text}`,
      "Move it elsewhere with `jj rebase`, or undo the move with `jj undo`.",
    );
    return;
  }
  const changed = next.tasks.filter((task, index) => task !== plan.tasks[index]);
  if (
    changed.every(
      (task) => JSON.stringify(task) === JSON.stringify(plan.tasks.find(({ id }) => id === task.id)),
    )
  )
    return;
  run.append(
    { kind: "PlanRevised", orchestrator, plan: next },
    ...planUpdates(orchestrator, moved.map(lineOf)),
    {
      kind: "StageMoved",
      orchestrator,
      event: {
        kind: "PlanAmended",
        added: [],
        relinked: changed.map(({ id, phase, after }) => ({ task: id, phase, after })),
        removed: [],
      },
    },
  );
  for (const one of moved) run.appendTranscript("hox", { kind: "notice", text: `The user ${lineOf(one)}.` });
}

const lineOf = ({ task, after }: Moved): string =>
  after.length === 0
    ? `put "${task}" on the contracts, so that it waits for no other task`
    : `let "${task}" wait for ${after.map((id) => `"${id}"`).join(" and ")} on the graph`;
