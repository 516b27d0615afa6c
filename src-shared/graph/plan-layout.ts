/** Where a plan that nobody has approved yet would stand on the canvas: pure, in levels and columns. (design section 12) */
import type { Plan, PlannedTask } from "../domain/plan/plan.ts";
import { inOrder, parentTasks, tasksById, waitsFor } from "../domain/plan/plan-order.ts";

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
  /** 0 is the lowest, right above what the plan stands on. */
  readonly level: number;
  /** 0 is the leftmost. */
  readonly column: number;
}

export interface PlanLine {
  readonly upper: PlanPart;
  /** Null: the change that the plan stands on. */
  readonly lower: PlanPart | null;
  /** In whose column the line runs down; `gap`: between two columns, as both hold something in between. */
  readonly way: "lower" | "upper" | "gap";
}

/** One part that would stand on another. */
interface PartOnPart {
  readonly upper: PlanPart;
  /** Null: what the plan stands on. */
  readonly lower: PlanPart | null;
}

/** A whole phase waits for the one below it: drawn once, from band to band, not from each task to each. */
export interface PhaseLine {
  /** Its number, or `integration`. */
  readonly upper: number | "integration";
  /** Null: what the plan stands on, or its contracts. */
  readonly lower: number | null;
}

/** The levels of a phase; one without tasks has a level of its own, so that something can be put there. */
interface PlanBand {
  readonly phase: number;
  readonly title: string;
  readonly from: number;
  readonly to: number;
  readonly tasks: number;
}

export interface PlanLayout {
  readonly places: readonly PlanPlace[];
  /** Where a part waits for another by name. */
  readonly lines: readonly PlanLine[];
  readonly phaseLines: readonly PhaseLine[];
  readonly bands: readonly PlanBand[];
  readonly levels: number;
  readonly columns: number;
}

/** So many stand side by side; further ones of the phase stand in rows above, so that a large plan can be read at all. */
const mostColumns = 4;

/**
 * Phases one above the other, the integration on top; inside a phase, whoever waits stands above what it waits for.
 *
 * @param onContracts true when the contracts' change is on the graph already, so that no place is kept for it
 */
export function planLayout(plan: Plan, onContracts: boolean): PlanLayout {
  const places = new Map<PlanPart, PlanPlace>();
  const taken = new Set<string>();
  const put = (part: PlanPart, wanted: number, first: number): number => {
    let [level, column] = [wanted, first];
    while (taken.has(`${level} ${column}`)) {
      column += 1;
      if (column >= mostColumns) [level, column] = [level + 1, 0];
    }
    taken.add(`${level} ${column}`);
    places.set(part, { part, level, column });
    return level;
  };
  let next = 0;
  if (!onContracts) put(contractsPart, next++, 0);

  const bands: PlanBand[] = [];
  const ordered = inOrder(plan.tasks);
  for (const { number, title } of [...plan.phases].sort((one, other) => one.number - other.number)) {
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
    bands.push({ phase: number, title, from, to: top, tasks: tasks.length });
    next = top + 1;
  }
  if (plan.integration) put(integrationPart, next++, 0);

  const all = [...places.values()];
  return {
    places: all,
    lines: linesOf(plan, places, bands),
    phaseLines: phaseLinesOf(plan, bands),
    bands,
    levels: next,
    columns: 1 + Math.max(0, ...all.map((place) => place.column)),
  };
}

/** Tasks that name none of the plan to wait for: their whole phase waits for the one below. */
const waitsForPhase = (plan: Plan, task: PlannedTask): boolean =>
  !task.after.some((id) => plan.tasks.some((other) => other.id === id));

function phaseLinesOf(plan: Plan, bands: readonly PlanBand[]): readonly PhaseLine[] {
  const lines = bands.flatMap(({ phase, tasks }, at): readonly PhaseLine[] =>
    tasks === 0 || plan.tasks.some((task) => task.phase === phase && waitsForPhase(plan, task))
      ? [{ upper: phase, lower: bands[at - 1]?.phase ?? null }]
      : [],
  );
  if (!plan.integration) return lines;
  return [
    ...lines,
    { upper: "integration", lower: bands.at(-1)?.phase ?? null },
    ...crowdedPhases(plan, bands).map((lower) => ({ upper: "integration" as const, lower })),
  ];
}

/**
 * Phases before the last of which the integration takes several tasks that nobody else waits for: one line to the phase
 * says it.
 */
function crowdedPhases(plan: Plan, bands: readonly PlanBand[]): readonly number[] {
  const tasks = tasksById(plan);
  const last = bands.at(-1)?.phase;
  const phases = groundOfParts(plan, true).flatMap(({ upper, lower }) => {
    const id = upper === integrationPart && lower !== null ? taskOfPart(lower) : null;
    return id === null ? [] : (tasks.get(id)?.phase ?? []);
  });
  return bands
    .map(({ phase }) => phase)
    .filter((phase) => phase !== last && phases.filter((one) => one === phase).length > 1);
}

function linesOf(
  plan: Plan,
  places: ReadonlyMap<PlanPart, PlanPlace>,
  bands: readonly PlanBand[],
): readonly PlanLine[] {
  const occupied = new Set([...places.values()].map(({ level, column }) => `${level} ${column}`));
  const free = (column: number, above: number, below: number): boolean => {
    for (let level = above + 1; level < below; level++) if (occupied.has(`${level} ${column}`)) return false;
    return true;
  };
  const line = (upper: PlanPart, lower: PlanPart | null): readonly PlanLine[] => {
    const from = places.get(upper);
    const to = lower === null ? { level: -1, column: 0 } : places.get(lower);
    if (!from || !to) return [];
    const way = free(to.column, to.level, from.level)
      ? "lower"
      : free(from.column, to.level, from.level)
        ? "upper"
        : "gap";
    return [{ upper, lower, way }];
  };
  const bottom = places.has(contractsPart) ? contractsPart : null;
  // Those of the last phase are meant by its band, and so are several of one before it.
  const byBand = new Set([bands.at(-1)?.phase, ...crowdedPhases(plan, bands)]);
  const tasks = tasksById(plan);
  const isByPhase = (upper: PlanPart, lower: PlanPart | null): boolean => {
    const id = taskOfPart(upper);
    const task = id === null ? undefined : tasks.get(id);
    if (task) return waitsForPhase(plan, task) && bands.some(({ phase }) => phase === task.phase);
    const under = lower === null ? null : taskOfPart(lower);
    return upper === integrationPart && bands.length > 0 && (!under || byBand.has(tasks.get(under)?.phase));
  };
  return groundOfParts(plan, bottom === null).flatMap(({ upper, lower }) =>
    isByPhase(upper, lower) ? [] : line(upper, lower),
  );
}

/**
 * What each part would stand on, phases spelled out task by task: for a drawing that has no bands.
 *
 * @param onContracts the contracts are approved and in the graph
 */
export function groundOfParts(plan: Plan, onContracts: boolean): readonly PartOnPart[] {
  const byId = tasksById(plan);
  // Once for each task: this is drawn at each key that is typed into a title.
  const parents = new Map(plan.tasks.map((task) => [task.id, new Set(parentTasks(plan, task))]));
  const standsOn = (upper: string, lower: string): boolean =>
    parents.get(upper)?.has(lower) === true || waitsFor(upper, lower, byId);
  const bottom = onContracts ? null : contractsPart;
  /** What is stood on through something else needs no line of its own. */
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
