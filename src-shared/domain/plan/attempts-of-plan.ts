/** Tasks that are tried several times side by side. (HYLO-3) */
import type { Plan, PlannedTask } from "./plan.ts";
import type { PlanProblem } from "./plan-problem.ts";

/** So often may one task be tried. */
export const maxAttempts = 8;

/** How many agents try a task. A delegated one has one orchestrator. */
export const attemptsAt = ({ attempts = 1, delegate }: PlannedTask): number =>
  delegate === true ? 1 : Math.max(1, attempts);

/** Agents and orchestrators that a plan needs. */
export const workersNeeded = ({ tasks }: Pick<Plan, "tasks">): number =>
  tasks.reduce((sum, task) => sum + attemptsAt(task), 0);

/** The plan with every task of an agent tried so often; 1 leaves it as it is. */
export const withAttempts = (plan: Plan, attempts: number): Plan =>
  attempts < 2
    ? plan
    : { ...plan, tasks: plan.tasks.map((task) => (task.delegate === true ? task : { ...task, attempts })) };

/** Warns of attempts before the plan is approved: each costs as much as the first. */
export function attemptProblems({ tasks }: Plan): readonly PlanProblem[] {
  const tried = tasks.filter((task) => attemptsAt(task) > 1);
  if (tried.length === 0) return [];
  const agents = tried.reduce((sum, task) => sum + attemptsAt(task), 0);
  const which = tried.map((task) => `"${task.id}" ${attemptsAt(task)} times`).join(", ");
  return [
    {
      severity: "warning",
      kind: "attempts",
      tasks: tried.map(({ id }) => id),
      text: `Parallel attempts: ${which}. ${agents} agents (and their cost) instead of ${tried.length}; you choose one attempt per task.`,
    },
  ];
}
