/**
 * The user edited a task's description, in the app or with jj: the plan is updated, so that its agent and its
 * reviewers read the new text. (design section 2)
 */

import type { Plan } from "#shared/domain/plan/plan.ts";
import { editLine } from "#shared/domain/plan/plan-edit.ts";
import { editedTaskText } from "#shared/domain/plan/task-words.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { orchestratorsOf, workerOnTask } from "../../../workers/hierarchy.ts";
import { amendmentOf, planNews, taskStatusOf } from "./plan-amendment.ts";

/** Plans as they were before the graph was read: what was read says nothing about a plan that came since. */
export const plansNow = (run: RunReader): ReadonlyMap<string, Plan | null> =>
  new Map(
    orchestratorsOf(run).map((name) => [
      name,
      amendmentOf(run, name) === null ? run.orchestratorFacts(name).plan : null,
    ]),
  );

/** Takes over the descriptions of unfinished tasks. Starts no process: the changes were just read. */
export function importDescriptionEdits(run: Run, before: ReadonlyMap<string, Plan | null>): void {
  for (const orchestrator of orchestratorsOf(run)) {
    const { plan } = run.orchestratorFacts(orchestrator);
    const { stage } = run.stateOf(orchestrator).course;
    if (plan === null || (stage !== "executing" && stage !== "integrating")) continue;
    if (plan === before.get(orchestrator) && amendmentOf(run, orchestrator) === null)
      takeOver(run, orchestrator, plan);
  }
}

function takeOver(run: Run, orchestrator: string, plan: Plan): void {
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
        ? planNews(worker.name, [`changed the description of your task: ${taskText(tasks, worker)}`])
        : [],
    ),
    ...planNews(
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
