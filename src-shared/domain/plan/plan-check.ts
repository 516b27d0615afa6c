import { formatOrchestrator, parseOrchestrator } from "../change-metadata/address.ts";
import { asGlob, claimCovers, fitsGlob } from "../files/glob.ts";
import type { ImportGraph } from "../imports/import-graph.ts";
import type { Outlines } from "../symbols/outline.ts";
import { shownLine, shownName } from "../text/shown-text.ts";
import {
  attemptProblems,
  type Plan,
  type PlannedTask,
  type PlanProblem,
  tasksById,
  waitsFor,
  workersNeeded,
} from "./plan.ts";
import { overlapIn } from "./symbol-overlap.ts";

/**
 * Checks a plan before its tasks are created (design section 3; HOX-B, HOX-9.2).
 *
 * @param plan as a model proposed it or the user edited it
 * @param imports of the repository if known: tasks whose files import each other are then reported too
 * @param outlines of files that several tasks claim, if known: tasks that change different symbols are then not reported
 * @returns all problems, fatal ones first; an empty list means that it can be approved as it is
 */
export function checkPlan(
  plan: Plan,
  imports: ImportGraph | null = null,
  outlines: Outlines = new Map(),
): readonly PlanProblem[] {
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
    ...overlaps(plan, byId, outlines),
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

/** Those that claim the same file, unless its outline shows that they change different symbols of it. */
const overlaps = (
  plan: Plan,
  byId: ReadonlyMap<string, PlannedTask>,
  outlines: Outlines,
): readonly PlanProblem[] =>
  sideBySide(plan, byId).flatMap(([one, other]) => {
    // Files in which they meet alike are one problem.
    const byMeet = new Map<string, { readonly files: string[]; readonly symbols: readonly string[] }>();
    for (const file of sharedClaims(one, other)) {
      const overlap = overlapIn(one, other, file, outlines);
      if (overlap === null) continue;
      const known = byMeet.get(overlap.meet);
      if (known) known.files.push(file);
      else byMeet.set(overlap.meet, { files: [file], symbols: overlap.symbols });
    }
    return [...byMeet].map(([meet, { files, symbols }]) => ({
      severity: "warning" as const,
      kind: "overlap" as const,
      tasks: [one.id, other.id],
      text: `"${one.id}" and "${other.id}" run at the same time and both ${meet.replace("{files}", () => files.map(shownName).join(", "))}.`,
      files,
      meet,
      symbols,
    }));
  });

/** Claims that two tasks share; of two that differ, the one that names a file. */
const sharedClaims = (one: PlannedTask, other: PlannedTask): readonly string[] => [
  ...new Set(
    one.files.flatMap((mine) => {
      const met = other.files.filter((theirs) => mayMeet(mine, theirs));
      if (met.length === 0) return [];
      return asGlob(mine).includes("*") && met.every((theirs) => !asGlob(theirs).includes("*"))
        ? met.map(asGlob)
        : [mine];
    }),
  ),
];

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

/** 1 for the root, whose level is A. */
export const depthOf = (orchestrator: string): number =>
  (parseOrchestrator(orchestrator)?.level.charCodeAt(0) ?? 64) - 64;

/** Levels have one letter each. */
export const deepestLevel = 26;

/**
 * The next free name one level below an orchestrator: numbers count through a level, across parents.
 * (HOX-3.1)
 *
 * @param taken names of all orchestrators of the run
 */
export function nextBelow(parent: string, taken: readonly string[]): string {
  const level = String.fromCharCode(64 + depthOf(parent) + 1);
  const numbers = taken.flatMap((name) => {
    const one = parseOrchestrator(name);
    return one?.level === level ? [one.number] : [];
  });
  return formatOrchestrator({ level, number: Math.max(0, ...numbers) + 1 });
}

/** Tasks that get an orchestrator instead of an agent. */
export const delegatedTasks = (plan: Plan): readonly PlannedTask[] =>
  plan.tasks.filter((task) => task.delegate === true);

/** The orchestrators that a plan makes, its author among them. */
export const orchestratorCount = (plan: Plan): number => 1 + delegatedTasks(plan).length;

/** The plan with the number of orchestrators that its tasks need, so that the user need not count. */
export function recounted(plan: Plan): Plan {
  const count = orchestratorCount(plan);
  return plan.orchestrators.count === count
    ? plan
    : { ...plan, orchestrators: { ...plan.orchestrators, count } };
}

/** What holds for the plan of one orchestrator. */
interface HierarchyRules {
  /** As the user wants it for the whole run; null: the orchestrators decide. */
  readonly orchestrators: number | null;
  /** Tasks of one plan. */
  readonly children: number;
  /** Agents and orchestrators that the run may still get. */
  readonly workersLeft: number;
}

/** What the caps of the host and the user's word say against a plan; all of it is fatal. (HOX-9.3, HYLO-11) */
export function hierarchyProblems(plan: Plan, rules: HierarchyRules): readonly PlanProblem[] {
  const problems: PlanProblem[] = [];
  const refuse = (text: string, ...tasks: string[]) =>
    problems.push({ severity: "fatal", kind: "hierarchy", tasks, text });
  const count = orchestratorCount(plan);
  if (rules.orchestrators !== null && count !== rules.orchestrators)
    refuse(
      `The user wants ${amount(rules.orchestrators, "orchestrator")}, and the plan makes ${count}: ` +
        "its author and one for each task with delegate = true.",
      ...delegatedTasks(plan).map((task) => task.id),
    );
  if (plan.tasks.length > rules.children)
    refuse(
      `The plan has ${amount(plan.tasks.length, "task")}; one orchestrator may have ${rules.children}. Join some, or delegate a group of them.`,
    );
  const workers = workersNeeded(plan);
  if (workers > rules.workersLeft)
    refuse(
      `The plan needs ${amount(workers, "worker")}, and the run may get ${rules.workersLeft} more. Join tasks.`,
    );
  return problems;
}

const amount = (number: number, word: string): string => `${number} ${word}${number === 1 ? "" : "s"}`;

/** Files that a plan claims beyond those that its orchestrator was given; empty when it stays inside. */
export function claimsOutside(plan: Plan, given: readonly string[]): readonly string[] {
  const claimed = new Set([...plan.contracts.files, ...plan.tasks.flatMap((task) => task.files)]);
  return [...claimed].filter((claim) => !given.some((one) => claimCovers(one, claim)));
}

/** A path or glob that another run may write to. */
export interface TakenClaim {
  readonly claim: string;
  /** Its owner: `agent-2`, or an orchestrator for its contracts. */
  readonly by: string;
  /** The root of that run. */
  readonly root: string;
  /** What it is for. */
  readonly title: string;
}

/** A plan's own claims: its tasks', and its contracts' where they are written. */
const claimsOf = (plan: Plan, hasContracts: boolean) => [
  ...(hasContracts ? [{ task: null, claims: plan.contracts.files }] : []),
  ...plan.tasks.map(({ id, files }) => ({ task: id, claims: files })),
];

/**
 * A problem for each task, and one for the contracts, whose files another run may change: until that one is
 * over the plan cannot be approved, because both would have different versions of them.
 *
 * @param taken claims of other active runs' plans
 * @param hasContracts whether the plan's contracts are written
 */
export function takenProblems(
  plan: Plan,
  taken: readonly TakenClaim[],
  hasContracts: boolean,
): readonly PlanProblem[] {
  return claimsOf(plan, hasContracts).flatMap(({ task, claims }) => {
    const meets = claims.flatMap((claim) => {
      const other = taken.find((one) => mayMeet(claim, one.claim));
      return other === undefined ? [] : [{ claim, other }];
    });
    const [first] = meets;
    if (first === undefined) return [];
    const files = meets.map(({ claim }) => shownName(claim)).join(", ");
    const { by, root, title } = first.other;
    const who = by === root ? root : `${by} of ${root}`;
    return [
      {
        severity: "fatal" as const,
        kind: "taken" as const,
        tasks: task === null ? [] : [task],
        claims: meets.map(({ claim }) => claim),
        text: `${task === null ? "The contracts claim" : `"${task}" claims`} ${files}, where ${who} works (${shownLine(title)}). Wait until the run of ${root} is over, plan other files, or steer that run.`,
      },
    ];
  });
}
