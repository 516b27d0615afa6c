import { asGlob, fitsGlob } from "../files/claims.ts";
import type { ImportGraph } from "../imports/import-graph.ts";
import { orchestratorCount } from "./hierarchy.ts";
import { attemptProblems, type Plan, type PlannedTask, tasksById, waitsFor } from "./plan.ts";
import type { PlanProblem } from "./plan-problem.ts";

/**
 * Checks a plan before its tasks are created (design section 3; HOX-B, HOX-9.2).
 *
 * @param plan as a model proposed it or the user edited it
 * @param imports of the repository if known: tasks whose files import each other are then reported too
 * @returns all problems, fatal ones first; an empty list means that it can be approved as it is
 */
export function checkPlan(plan: Plan, imports: ImportGraph | null = null): readonly PlanProblem[] {
  const fatal: PlanProblem[] = [];
  const refuse = (kind: PlanProblem["kind"], text: string, ...tasks: string[]) =>
    fatal.push({ severity: "fatal", kind, tasks, text });

  if (plan.integration === null)
    refuse(
      "no-integration",
      "The plan has no integration phase. Add one: parallel work always ends in one integrated change.",
    );
  if (plan.tasks.length === 0) refuse("no-task", "The plan has no task.");

  const byId = tasksById(plan);
  const named = new Set<string>();
  for (const task of plan.tasks) {
    if (named.has(task.id))
      refuse("same-id", `Two tasks are called "${task.id}". Give each its own id.`, task.id);
    named.add(task.id);
  }
  const phases = new Set(plan.phases.map((phase) => phase.number));
  for (const task of plan.tasks) {
    if (!phases.has(task.phase))
      refuse(
        "no-phase",
        `Task "${task.id}" is in phase ${task.phase}, which the plan does not list. Add the phase or move the task.`,
        task.id,
      );
    for (const before of task.after) {
      const other = byId.get(before);
      if (!other)
        refuse("unknown", `Task "${task.id}" waits for "${before}", which is not in the plan.`, task.id);
      else if (other.phase > task.phase)
        refuse("later-phase", `Task "${task.id}" waits for "${before}" of a later phase.`, task.id, before);
    }
  }
  const circle = findCircle(byId);
  if (circle) refuse("circle", `These tasks wait for each other: ${circle.join(" → ")}.`, ...new Set(circle));

  const orchestrators = orchestratorCount(plan);
  if (plan.orchestrators.count !== orchestrators)
    refuse(
      "hierarchy",
      `The plan names ${plan.orchestrators.count} orchestrators and makes ${orchestrators}: its author and one for each task with delegate = true.`,
    );

  return [
    ...fatal,
    ...overlaps(plan, byId),
    ...(imports ? importsBetween(plan, byId, imports) : []),
    ...attemptProblems(plan),
    ...plan.tasks.filter(isBare).map(
      ({ id }): PlanProblem => ({
        severity: "warning",
        kind: "no-details",
        tasks: [id],
        text: `"${id}" has no description and no files: its agent gets only the title.`,
      }),
    ),
  ];
}

const isBare = ({ description, files }: PlannedTask): boolean =>
  description.trim() === "" && files.length === 0;

/** Ids along a circle of `after`, first id repeated at the end; null when there is none. */
function findCircle(tasks: ReadonlyMap<string, PlannedTask>): readonly string[] | null {
  const settled = new Set<string>();
  const visit = (id: string, path: readonly string[]): readonly string[] | null => {
    if (path.includes(id)) return [...path.slice(path.indexOf(id)), id];
    if (settled.has(id)) return null;
    for (const before of tasks.get(id)?.after ?? []) {
      const circle = visit(before, [...path, id]);
      if (circle) return circle;
    }
    settled.add(id);
    return null;
  };
  for (const id of tasks.keys()) {
    const circle = visit(id, []);
    if (circle) return circle;
  }
  return null;
}

/** Pairs of tasks that run at once. */
const sideBySide = (
  plan: Plan,
  byId: ReadonlyMap<string, PlannedTask>,
): readonly (readonly [PlannedTask, PlannedTask])[] =>
  plan.tasks.flatMap((one, index) =>
    plan.tasks
      .slice(index + 1)
      .filter(
        (other) =>
          one.phase === other.phase && !waitsFor(one.id, other.id, byId) && !waitsFor(other.id, one.id, byId),
      )
      .map((other) => [one, other] as const),
  );

/** Those that claim the same file. */
const overlaps = (plan: Plan, byId: ReadonlyMap<string, PlannedTask>): readonly PlanProblem[] =>
  sideBySide(plan, byId).flatMap(([one, other]) => {
    const files = one.files.filter((mine) => other.files.some((theirs) => mayMeet(mine, theirs)));
    const [shared] = files;
    return shared === undefined
      ? []
      : [
          {
            severity: "warning" as const,
            kind: "overlap" as const,
            tasks: [one.id, other.id],
            text: `"${one.id}" and "${other.id}" run at the same time and both claim ${shared}.`,
            files,
          },
        ];
  });

/**
 * Those of which one claims a file that imports a file of the other. A file that both claim is reported
 * separately.
 */
function importsBetween(
  plan: Plan,
  byId: ReadonlyMap<string, PlannedTask>,
  { files, imports, importers }: ImportGraph,
): readonly PlanProblem[] {
  const known = new Set([...files, ...importers.keys()]);
  const claimed = new Map(
    plan.tasks.map(
      (task) => [task.id, new Set(task.files.flatMap((claim) => meeting(claim, known)))] as const,
    ),
  );
  const of = (task: PlannedTask): ReadonlySet<string> => claimed.get(task.id) ?? new Set();
  return sideBySide(plan, byId).flatMap(([one, other]) => {
    const arrows = (
      [
        [one, other],
        [other, one],
      ] as const
    ).flatMap(([user, owner]) =>
      [...of(user)]
        .filter((file) => !of(owner).has(file))
        .flatMap((file) =>
          (imports.get(file) ?? [])
            .filter((target) => of(owner).has(target) && !of(user).has(target))
            .map((target) => ({ file, target, user, owner })),
        ),
    );
    const [first] = arrows;
    const more = arrows.length > 1 ? `, and ${arrows.length - 1} more` : "";
    return first === undefined
      ? []
      : [
          {
            severity: "warning" as const,
            kind: "import" as const,
            tasks: [first.user.id, first.owner.id],
            text: `"${one.id}" and "${other.id}" run at the same time, and ${first.file} ("${first.user.id}") imports ${first.target} ("${first.owner.id}")${more}. Define the shared interface in the contract.`,
            files: [...new Set(arrows.flatMap(({ user, target }) => (user === first.user ? [target] : [])))],
          },
        ];
  });
}

/** Known files that a claim names. */
function meeting(claim: string, known: ReadonlySet<string>): readonly string[] {
  const glob = asGlob(claim);
  if (!glob.includes("*")) return known.has(glob) ? [glob] : [];
  return [...known].filter(fitsGlob(glob));
}

/**
 * Whether two claims (paths, folders ending in `/`, or globs with `*` and `**`) may name the same file.
 * May answer yes for two globs that never meet, never no for two that do.
 */
export function mayMeet(one: string, other: string): boolean {
  if (one === other) return true;
  const [a, b] = [asGlob(one), asGlob(other)];
  if (!a.includes("*")) return fitsGlob(b)(a);
  if (!b.includes("*")) return fitsGlob(a)(b);
  const [startA, startB] = [a.slice(0, a.indexOf("*")), b.slice(0, b.indexOf("*"))];
  return startA.startsWith(startB) || startB.startsWith(startA);
}
