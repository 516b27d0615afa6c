/** What a person can do about a problem of a plan, each as one edit to click. */
import type { Plan, PlannedTask } from "./plan.ts";
import { blankTask, type PlanEdit } from "./plan-edit.ts";
import type { PlanProblem } from "./plan-problem.ts";

/** One edit, or several that belong together, as a button. */
export interface PlanRemedy {
  readonly label: string;
  readonly edits: readonly PlanEdit[];
}

/**
 * Ways out of a problem, the likeliest first; empty where only writing helps. Taking one never makes a circle: who is
 * let wait here ran side by side before, or waits for less. (design section 3)
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
export function titleOf(plan: Plan, id: string): string {
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
