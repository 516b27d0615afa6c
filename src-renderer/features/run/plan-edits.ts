import type { Priority } from "#shared/domain/metadata.ts";
import type { Plan, PlannedTask } from "#shared/domain/plan.ts";

/** Edits that a person makes to a proposed plan. Each answers with a new plan; the host checks it again. */

export function changeTask(plan: Plan, id: string, patch: Partial<Omit<PlannedTask, "id">>): Plan {
  return { ...plan, tasks: plan.tasks.map((task) => (task.id === id ? { ...task, ...patch } : task)) };
}

/** Removes a task; tasks that waited for it wait for what it waited for. */
export function removeTask(plan: Plan, id: string): Plan {
  const gone = plan.tasks.find((task) => task.id === id);
  if (!gone) return plan;
  return {
    ...plan,
    tasks: plan.tasks
      .filter((task) => task.id !== id)
      .map((task) =>
        task.after.includes(id)
          ? { ...task, after: [...new Set([...task.after.filter((other) => other !== id), ...gone.after])] }
          : task,
      ),
  };
}

/** Adds an empty task to a phase under a name that is free. */
export function addTask(
  plan: Plan,
  phase: number,
  priority: Priority = "medium",
): { plan: Plan; id: string } {
  const taken = new Set(plan.tasks.map((task) => task.id));
  let number = plan.tasks.length + 1;
  while (taken.has(`task-${number}`)) number += 1;
  const id = `task-${number}`;
  const task: PlannedTask = { id, title: "New task", description: "", phase, priority, files: [], after: [] };
  return { plan: { ...plan, tasks: [...plan.tasks, task] }, id };
}

/** Tasks that may be named as a predecessor of this one without making a circle. */
export function possiblePredecessors(plan: Plan, id: string): readonly PlannedTask[] {
  const byId = new Map(plan.tasks.map((task) => [task.id, task]));
  const dependsOnMe = (other: PlannedTask, seen = new Set<string>()): boolean => {
    if (seen.has(other.id)) return false;
    seen.add(other.id);
    return other.after.some((before) => {
      const task = byId.get(before);
      return before === id || (task !== undefined && dependsOnMe(task, seen));
    });
  };
  const self = byId.get(id);
  return plan.tasks.filter(
    (other) => other.id !== id && self !== undefined && other.phase <= self.phase && !dependsOnMe(other),
  );
}

/** What a person sees at once without asking the host: claims of one file by two tasks of a phase. */
export function sharedClaims(plan: Plan): ReadonlyMap<string, readonly string[]> {
  const claims = new Map<string, string[]>();
  for (const task of plan.tasks)
    for (const file of task.files) {
      const key = `${task.phase} ${file}`;
      claims.set(key, [...(claims.get(key) ?? []), task.id]);
    }
  return new Map(
    [...claims]
      .filter(([, tasks]) => tasks.length > 1)
      .map(([key, tasks]) => [key.slice(key.indexOf(" ") + 1), tasks]),
  );
}
