/** Problems of a plan for the user: tasks by their titles, and one entry for a file however many claim it. */

import type { Outlines } from "../symbols/outline.ts";
import {
  attemptsAt,
  inOrder,
  type Plan,
  type PlannedTask,
  type PlanProblem,
  tasksById,
  waitsFor,
} from "./plan.ts";
import { checkPlan } from "./plan-check.ts";
import { blankTask, editPlanBy, type PlanEdit } from "./plan-edit.ts";

/** What is shown as one: a problem alone, or all that meet in the same files. */
export interface ProblemGroup {
  readonly key: string;
  readonly severity: PlanProblem["severity"];
  readonly kind: PlanProblem["kind"];
  /** Ids, in the order of the plan. */
  readonly tasks: readonly string[];
  readonly text: string;
  /** Of an overlap: the symbols in which they meet, if known. */
  readonly symbols: readonly string[];
  readonly remedies: readonly PlanRemedy[];
}

/**
 * What the user can do about a problem of a plan, as a button with one edit, or several that belong together.
 */
interface PlanRemedy {
  readonly label: string;
  readonly edits: readonly PlanEdit[];
}

/**
 * Remedies of a problem, the likeliest first; empty if only editing helps. None creates a cycle: a new
 * dependency is between parallel tasks, or replaces another. (design section 3)
 */
export function remediesOf(plan: Plan, problem: PlanProblem): readonly PlanRemedy[] {
  const name = (id: string): string => titleOf(plan, id);
  const task = (id: string | undefined) => plan.tasks.find((one) => one.id === id);
  const [one, other] = [task(problem.tasks[0]), task(problem.tasks[1])];
  switch (problem.kind) {
    case "import":
      if (!one || !other) return [];
      return [letWait(plan, one.id, other.id), letWait(plan, other.id, one.id)];
    case "overlap":
      if (!one || !other) return [];
      return [letWait(plan, other.id, one.id), letWait(plan, one.id, other.id)];
    case "later-phase":
      if (!one || !other) return [];
      return [
        {
          label: `Move ${name(one.id)} to phase ${other.phase}`,
          edits: [{ kind: "move", task: one.id, phase: other.phase }],
        },
        doNotWait(plan, one.id, other.id),
      ];
    case "unknown": {
      if (!one) return [];
      const gone = one.after.filter((id) => !task(id));
      return gone.map((id) => doNotWait(plan, one.id, id));
    }
    case "no-phase": {
      if (!one) return [];
      const add: PlanRemedy = {
        label: `Add phase ${one.phase}`,
        edits: [{ kind: "phase", number: one.phase, title: `Phase ${one.phase}` }],
      };
      const last = plan.phases.at(-1);
      return last === undefined
        ? [add]
        : [
            add,
            {
              label: `Move ${name(one.id)} to phase ${last.number}`,
              edits: [{ kind: "move", task: one.id, phase: last.number }],
            },
          ];
    }
    case "attempts":
      return problem.tasks.map((id) => ({
        label: `Use one attempt for ${name(id)}`,
        edits: [{ kind: "change", task: id, patch: { attempts: 1 } }],
      }));
    case "agent":
      return problem.tasks.map((id) => ({
        label: `Use the run’s agent for ${name(id)}`,
        edits: [{ kind: "change", task: id, patch: { agents: [] } }],
      }));
    case "taken":
      return one ? leaveAlone(plan, one, problem.claims ?? []) : [];
    case "circle":
      return problem.tasks.flatMap((id) =>
        (task(id)?.after ?? [])
          .filter((before) => problem.tasks.includes(before))
          .map((before) => doNotWait(plan, id, before)),
      );
    case "no-integration":
      return [addIntegration];
    case "no-task": {
      const [first] = plan.phases;
      return [
        {
          label: "Add a task",
          edits: [
            ...(first ? [] : [{ kind: "phase", number: 1, title: "Build" } as const]),
            { kind: "add", task: blankTask(plan, first?.number ?? 1) },
          ],
        },
      ];
    }
    case "same-id":
    case "no-details":
    // How many there may be is the user's word; which task to give back to an agent only a reader can say.
    case "hierarchy":
      return [];
    default: {
      const never: never = problem.kind;
      return never;
    }
  }
}

const addIntegration: PlanRemedy = {
  label: "Add an integration",
  edits: [
    {
      kind: "integration",
      title: "Integrate",
      description: "One change that combines all tasks, without conflicts, with every check passing.",
    },
  ],
};

/** The title of a task in quotes; its id where it has none, or where no task is called so. */
function titleOf(plan: Plan, id: string): string {
  const title = plan.tasks.find((task) => task.id === id)?.title.trim();
  return `“${title ? title : id}”`;
}

/** The task without the files that another run has, where others are left to it. */
function leaveAlone(plan: Plan, { id, files }: PlannedTask, taken: readonly string[]): readonly PlanRemedy[] {
  const left = files.filter((claim) => !taken.includes(claim));
  if (left.length === 0) return [];
  const label = `Remove ${taken.join(", ")} from the files of ${titleOf(plan, id)}`;
  return [{ label, edits: [{ kind: "change", task: id, patch: { files: left } }] }];
}

const letWait = (plan: Plan, task: string, after: string): PlanRemedy => ({
  label: `Make ${titleOf(plan, task)} wait for ${titleOf(plan, after)}`,
  edits: [{ kind: "link", task, after }],
});

const doNotWait = (plan: Plan, task: string, after: string): PlanRemedy => ({
  label: `Remove the dependency of ${titleOf(plan, task)} on ${titleOf(plan, after)}`,
  edits: [{ kind: "unlink", task, after }],
});

/** `“A”, “B” and “C”`; of many the first ones, and how many more. */
function listed(words: readonly string[], most = 4): string {
  const shown =
    words.length > most ? [...words.slice(0, most - 1), `${words.length - most + 1} more`] : words;
  return shown.length < 2 ? (shown[0] ?? "") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

/** What one problem says, with titles for ids. The plan is the one that has the problem. */
export function formatPlanProblem(plan: Plan, { kind, tasks, text }: PlanProblem): string {
  const titles = tasks.map((id) => titleOf(plan, id));
  if (kind === "circle") return `These tasks wait for each other: ${[...titles, titles[0]].join(" → ")}.`;
  if (kind === "attempts") {
    const tried = plan.tasks.filter(({ id }) => tasks.includes(id));
    const agents = tried.reduce((sum, task) => sum + attemptsAt(task), 0);
    const which = tried.map((task) => `${titleOf(plan, task.id)} ${attemptsAt(task)} times`);
    return `Parallel attempts: ${listed(which)}. ${agents} agents (and their cost) instead of ${tried.length}; you choose one attempt per task.`;
  }
  // The id itself is what is wrong.
  if (kind === "same-id") return text;
  return text.replaceAll(/"([^"]+)"/gu, (quoted, id: string) =>
    plan.tasks.some((task) => task.id === id) ? titleOf(plan, id) : quoted,
  );
}

/** Tasks that were not in order before, one after another: each waits for the one before it. */
function oneAfterAnother(plan: Plan, tasks: readonly string[]): PlanRemedy {
  const byId = tasksById(plan);
  const chain = inOrder(plan.tasks)
    .map(({ id }) => id)
    .filter((id) => tasks.includes(id));
  return {
    label: `Run the ${chain.length} one after another`,
    edits: chain.flatMap((id, at) => {
      const before = chain[at - 1];
      return before === undefined || waitsFor(id, before, byId)
        ? []
        : [{ kind: "link" as const, task: id, after: before }];
    }),
  };
}

interface Meeting {
  readonly kind: "overlap" | "import";
  readonly severity: PlanProblem["severity"];
  /** Those of one phase alone, as only they meet; of an import only the task that owns the files. */
  readonly among: string;
  readonly tasks: Set<string>;
  readonly problems: PlanProblem[];
}

/** Those that meet, by the file in which they do. */
function meetingsOf(plan: Plan, problems: readonly PlanProblem[]): ReadonlyMap<string, Map<string, Meeting>> {
  const phase = new Map(plan.tasks.map((task) => [task.id, task.phase]));
  const byFile = new Map<string, Map<string, Meeting>>();
  for (const problem of problems) {
    const { kind, tasks, severity } = problem;
    if (kind !== "overlap" && kind !== "import") continue;
    const among =
      kind === "overlap"
        ? `overlap in phase ${phase.get(tasks[0] ?? "")}: ${problem.meet}`
        : `import from ${tasks[1]}`;
    for (const file of problem.files ?? []) {
      const here = byFile.get(file) ?? new Map<string, Meeting>();
      const meeting = here.get(among) ?? { kind, severity, among, tasks: new Set(), problems: [] };
      for (const task of tasks) meeting.tasks.add(task);
      meeting.problems.push(problem);
      here.set(among, meeting);
      byFile.set(file, here);
    }
  }
  return byFile;
}

function formatOverlap(
  plan: Plan,
  file: string,
  { kind, problems }: Meeting,
  tasks: readonly string[],
): string {
  const meet = (problems[0]?.meet ?? "").replace("{files}", () => file);
  if (kind === "overlap")
    return tasks.length === 2
      ? `${listed(tasks.map((id) => titleOf(plan, id)))} run at the same time and both ${meet}.`
      : `${tasks.length} tasks that run at the same time ${meet}: ${listed(tasks.map((id) => titleOf(plan, id)))}.`;
  const owner = problems[0]?.tasks[1] ?? "";
  const users = tasks.filter((id) => id !== owner).map((id) => titleOf(plan, id));
  return `${listed(users)} ${users.length === 1 ? "runs" : "run"} at the same time as ${titleOf(plan, owner)} and ${users.length === 1 ? "imports" : "import"} ${file} from it. Define the shared interface in the contract.`;
}

function meetingRemedies(
  plan: Plan,
  { kind, problems }: Meeting,
  tasks: readonly string[],
): readonly PlanRemedy[] {
  const [first] = problems;
  if (first && tasks.length === 2) return remediesOf(plan, first);
  if (kind === "overlap") return [oneAfterAnother(plan, tasks)];
  const owner = first?.tasks[1] ?? "";
  return [
    {
      label: `Make them wait for ${titleOf(plan, owner)}`,
      edits: tasks
        .filter((id) => id !== owner)
        .map((id) => ({ kind: "link" as const, task: id, after: owner })),
    },
  ];
}

/** All problems to be shown: fatal ones first, then one for each file in which tasks meet. Files in which the same tasks meet are one. */
export function problemGroups(plan: Plan, problems: readonly PlanProblem[]): readonly ProblemGroup[] {
  const alone = problems
    .filter(({ files = [] }) => files.length === 0)
    .map(
      (problem): ProblemGroup => ({
        key: `${problem.kind}: ${problem.text}`,
        severity: problem.severity,
        kind: problem.kind,
        tasks: problem.tasks,
        text: formatPlanProblem(plan, problem),
        symbols: [],
        remedies: remediesOf(plan, problem),
      }),
    );
  const together = new Map<
    string,
    { readonly files: string[]; readonly meeting: Meeting; readonly tasks: readonly string[] }
  >();
  for (const [file, meetings] of meetingsOf(plan, problems))
    for (const meeting of meetings.values()) {
      const tasks = plan.tasks.map(({ id }) => id).filter((id) => meeting.tasks.has(id));
      const key = `${meeting.among}: ${tasks.join("\n")}`;
      const known = together.get(key);
      if (known) known.files.push(file);
      else together.set(key, { files: [file], meeting, tasks });
    }
  const meetings = [...together].map(
    ([key, { files, meeting, tasks }]): ProblemGroup => ({
      key,
      severity: meeting.severity,
      kind: meeting.kind,
      tasks,
      symbols: meeting.problems[0]?.symbols ?? [],
      text: formatOverlap(plan, listed(files), meeting, tasks),
      remedies: meetingRemedies(plan, meeting, tasks),
    }),
  );
  return [
    ...alone.filter(isFatal),
    ...alone.filter((one) => !isFatal(one) && one.kind !== "attempts"),
    ...meetings,
    ...alone.filter(({ kind }) => kind === "attempts"),
  ];
}

const isFatal = ({ severity }: ProblemGroup): boolean => severity === "fatal";

export type PlanOutcome =
  | {
      readonly kind: "possible";
      readonly plan: Plan;
      /** Problems that the edits make, and those that they take away. */
      readonly made: readonly PlanProblem[];
      readonly gone: readonly PlanProblem[];
    }
  | {
      readonly kind: "refused";
      readonly reason: string;
      readonly remedy: string;
      /** What a window says instead of the reason, with titles for ids. */
      readonly words?: string;
    };

/**
 * The result of edits before they are made: for a drag that shows its result before the drop, and for the
 * host, which amends no plan into an invalid one. (design section 3)
 *
 * @returns refused also if the edits would cause a fatal problem, such as tasks that wait for each other
 */
export function outcomeOf(
  plan: Plan,
  edits: readonly PlanEdit[],
  outlines: Outlines = new Map(),
): PlanOutcome {
  const result = editPlanBy(plan, edits);
  if (result.kind === "refused") return result;
  const [before, after] = [checkPlan(plan, null, outlines), checkPlan(result.plan, null, outlines)];
  const beyond = (some: readonly PlanProblem[], others: readonly PlanProblem[]): readonly PlanProblem[] =>
    some.filter((one) => !others.some((other) => other.text === one.text));
  const made = beyond(after, before);
  const fatal = made.find((problem) => problem.severity === "fatal");
  if (fatal)
    return {
      kind: "refused",
      reason: fatal.text,
      words: formatPlanProblem(result.plan, fatal),
      remedy: "Change the dependencies or the phases first.",
    };
  return { kind: "possible", plan: result.plan, made, gone: beyond(before, after) };
}
