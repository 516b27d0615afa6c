/**
 * Tasks that an orchestrator adds to its plan in progress: amended like any plan, with the same rules and
 * caps, and the user's approval wherever its plan needed one. (design section 5; HYLO-10, HYLO-11)
 */

import type { Plan, PlannedTask } from "#shared/domain/plan/plan.ts";
import { deepestLevel, delegatedTasks, depthOf } from "#shared/domain/plan/plan-check.ts";
import type { PlanEdit } from "#shared/domain/plan/plan-edit.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { rootOf, scoped, workerOnTask } from "../../../workers/hierarchy.ts";
import { amendPlan, planAfter } from "./plan-editing.ts";
import { reasonsToAsk } from "./plan-rules.ts";

export interface Spawn {
  readonly orchestrator: string;
  /** The same after a restart; unique among the orchestrator's own. */
  readonly key: string;
  readonly tasks: readonly PlannedTask[];
  readonly reason: string;
}

export type SpawnOutcome =
  | { readonly added: true; readonly workers: readonly { readonly task: string; readonly worker: string }[] }
  | { readonly added: false; readonly reason: string };

const addingOf = (tasks: readonly PlannedTask[]): readonly PlanEdit[] =>
  tasks.map((task) => ({ kind: "add", task }));

/** The phase in which something added now begins at once; null while nothing is carried out. */
export function phaseNow(run: RunReader, orchestrator: string): number | null {
  const { course } = run.stateOf(orchestrator);
  if (course.stage === "executing") return Math.max(1, course.phase);
  const { plan } = run.orchestratorFacts(orchestrator);
  return course.stage === "integrating" && plan !== null
    ? Math.max(1, ...plan.tasks.map((task) => task.phase))
    : null;
}

/** Why tasks cannot be added, in words for the orchestrator that wants them; null when they can. */
export function spawnProblem(run: Run, orchestrator: string, tasks: readonly PlannedTask[]): string | null {
  if (tasks.some((task) => task.delegate) && depthOf(orchestrator) >= deepestLevel)
    return "There is no level below Z. Give the task to an agent.";
  try {
    planAfter(run, orchestrator, addingOf(tasks));
    return null;
  } catch (error) {
    if (error instanceof EngineRefusal) return `${error.message} ${error.remedy}`;
    throw error;
  }
}

/**
 * Adds tasks with an agent, or an orchestrator, each. Idempotent: answers and changes are stored under the
 * key.
 */
export async function spawn(run: Run, spawned: Spawn): Promise<SpawnOutcome> {
  const { orchestrator, tasks } = spawned;
  const key = scoped(orchestrator, spawned.key);
  return run.step(`${key}/spawned`, async (): Promise<SpawnOutcome> => {
    try {
      // After a crash they may already be in the plan.
      const left = tasks.filter(
        ({ id }) => !run.orchestratorFacts(orchestrator).plan?.tasks.some((one) => one.id === id),
      );
      const refusal = left.length === 0 ? null : await refusedByPerson(run, spawned);
      if (refusal !== null) return { added: false, reason: refusal };
      if (left.length > 0) await amendPlan(run, orchestrator, addingOf(left), orchestrator);
    } catch (error) {
      // The plan changed since the request, or the run reached its caps.
      if (error instanceof EngineRefusal) return { added: false, reason: `${error.message} ${error.remedy}` };
      throw error;
    }
    const workers = tasks.flatMap(({ id }) => {
      const worker = workerOnTask(run, orchestrator, id);
      return worker ? [{ task: id, worker: worker.name }] : [];
    });
    return { added: true, workers };
  });
}

/** Why the user refuses them; null if they may be added, with or without approval. */
async function refusedByPerson(
  run: Run,
  { orchestrator, key, tasks, reason }: Spawn,
): Promise<string | null> {
  const card = `${run.id}/${scoped(orchestrator, key)}/spawn`;
  const known = run.journal.inboxItem(card) !== null;
  const plan = known ? null : planAfter(run, orchestrator, addingOf(tasks));
  const reasons = plan === null ? [] : reasonsFor(run, orchestrator, plan, tasks);
  const { gates } = run.config;
  const bySelf = (orchestrator === rootOf(run) ? gates.plan : gates.subplans) === "auto";
  // A card that is on the table, or was answered, stays what decides.
  if (!known && bySelf && reasons.length === 0) return null;
  const decision = await run.inbox.ask(card, () => ({
    kind: "amendment",
    from: orchestrator,
    tasks,
    reason,
    problems: reasons,
  }));
  if (decision.kind === "approve") return null;
  return decision.kind === "reject" && decision.reason !== ""
    ? decision.reason
    : "The user does not want it.";
}

/** Why the user is asked although plans are approved automatically. */
function reasonsFor(
  run: RunReader,
  orchestrator: string,
  plan: Plan,
  tasks: readonly PlannedTask[],
): readonly string[] {
  const level = depthOf(orchestrator) + 1;
  const { orchestratorLevels } = run.config.limits;
  return [
    ...(delegatedTasks({ ...plan, tasks }).length > 0 && level > orchestratorLevels
      ? [
          `It makes an orchestrator on level ${String.fromCharCode(64 + level)}; ${orchestratorLevels} levels need no approval.`,
        ]
      : []),
    ...reasonsToAsk(run, orchestrator, plan),
  ];
}
