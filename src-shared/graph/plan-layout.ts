/** The layout of a proposed plan's parts in the log: pure, in levels and columns. (design section 12) */
import { inOrder, type Plan, parentTasks, tasksById, waitsFor } from "../domain/plan/plan.ts";

/** `contracts`, `integration` or `task:<id>`. */
export type PlanPart = string;

export const contractsPart: PlanPart = "contracts";
export const integrationPart: PlanPart = "integration";
export const taskPart = (id: string): PlanPart => `task:${id}`;
/** The id of the task that a part is, or null. */
export const taskOfPart = (part: PlanPart): string | null =>
  part.startsWith("task:") ? part.slice("task:".length) : null;

export interface PlanPlace {
  readonly part: PlanPart;
  /** 0 is the lowest, right above the plan's base. */
  readonly level: number;
  /** 0 is the leftmost. */
  readonly column: number;
}

/** A dependency between two parts. */
interface PartOnPart {
  readonly upper: PlanPart;
  /** Null: the plan's base. */
  readonly lower: PlanPart | null;
}

/** Maximum of columns; further tasks of the phase go into rows above, so that a large plan stays readable. */
const maxColumns = 4;

/**
 * Phases from bottom to top, the integration last; inside a phase, a task is above its dependencies.
 *
 * @param onContracts true if the contracts' change is already on the graph and needs no place
 */
export function planPlaces(plan: Plan, onContracts: boolean): readonly PlanPlace[] {
  const places = new Map<PlanPart, PlanPlace>();
  const taken = new Set<string>();
  const put = (part: PlanPart, wanted: number, first: number): number => {
    let [level, column] = [wanted, first];
    while (taken.has(`${level} ${column}`)) {
      column += 1;
      if (column >= maxColumns) [level, column] = [level + 1, 0];
    }
    taken.add(`${level} ${column}`);
    places.set(part, { part, level, column });
    return level;
  };
  let next = 0;
  if (!onContracts) put(contractsPart, next++, 0);

  const ordered = inOrder(plan.tasks);
  for (const { number } of [...plan.phases].sort((one, other) => one.number - other.number)) {
    const tasks = ordered.filter((task) => task.phase === number);
    const from = next;
    let top = from;
    for (const task of tasks) {
      const below = parentTasks(plan, task).flatMap((id) => places.get(taskPart(id)) ?? []);
      const inPhase = below.filter((place) => place.level >= from);
      const level = Math.max(from, ...inPhase.map((place) => place.level + 1));
      const column = inPhase.length > 0 ? Math.min(...inPhase.map((place) => place.column)) : 0;
      top = Math.max(top, put(taskPart(task.id), level, column));
    }
    next = top + 1;
  }
  if (plan.integration) put(integrationPart, next++, 0);
  return [...places.values()];
}

/**
 * The dependencies of each part, phases spelled out task by task: for a drawing without bands.
 *
 * @param onContracts the contracts are approved and in the graph
 */
export function partDependencies(plan: Plan, onContracts: boolean): readonly PartOnPart[] {
  const byId = tasksById(plan);
  // Once for each task: this is drawn at each key that is typed into a title.
  const parents = new Map(plan.tasks.map((task) => [task.id, new Set(parentTasks(plan, task))]));
  const standsOn = (upper: string, lower: string): boolean =>
    parents.get(upper)?.has(lower) === true || waitsFor(upper, lower, byId);
  const bottom = onContracts ? null : contractsPart;
  /** Indirect dependencies need no line. */
  const onHeads = (upper: PlanPart, ids: readonly string[]): readonly PartOnPart[] =>
    ids.length === 0
      ? [{ upper, lower: bottom }]
      : ids
          .filter((id) => !ids.some((other) => other !== id && standsOn(other, id)))
          .map((id) => ({ upper, lower: taskPart(id) }));
  return [
    ...(bottom === null ? [] : [{ upper: bottom, lower: null }]),
    ...plan.tasks.flatMap(({ id }) => onHeads(taskPart(id), [...(parents.get(id) ?? [])])),
    ...(plan.integration
      ? onHeads(
          integrationPart,
          plan.tasks.map(({ id }) => id),
        )
      : []),
  ];
}
