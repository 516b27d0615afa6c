import { z } from "zod";
import type { AnswerTo } from "#shared/contract/cards.ts";
import { plan, plannedTask } from "#shared/contract/plan-inputs.ts";
import type { Plan, PlannedTask } from "#shared/domain/plan/plan.ts";
import { deepestLevel, delegatedTasks, depthOf } from "#shared/domain/plan/plan-check.ts";
import type { PlanEdit } from "#shared/domain/plan/plan-edit.ts";
import { prompt, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import { structuredTool } from "../../../../tools/tool-interface.ts";
import { EngineRefusal, Interrupted } from "../../../engine-errors.ts";
import type { Feature, OrchestratorTool, TroubleEnd } from "../../../kernel/feature.ts";
import { warnOf } from "../../../kernel/notify.ts";
import { addressOf, sendMessage, user } from "../../../orchestrators/messages.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { siblingAttempts } from "../../../workers/attempts.ts";
import { isQuick, parentOf, rootOf, scoped, workerOnTask } from "../../../workers/hierarchy.ts";
import { pauseWorker } from "../../../workers/pause-worker.ts";
import { rewriteBeneath } from "../../../workspaces/rewrite-beneath.ts";
import { changeChecks, lookFirst } from "../../environment/preflight/feature.ts";
import { importPlanEdits } from "./import-description-edits.ts";
import { amendPlan, finishAmendments, planAfter, planEditing } from "./plan-editing.ts";
import { checkPlanAnswer, reasonsToAsk, showTaken } from "./plan-rules.ts";
import { planRun, prepareBase } from "./planning.ts";

/** Attempts and their agents are the user's choice: each costs as much as the first. */
const proposed = plan.extend({
  tasks: z
    .array(plannedTask.omit({ attempts: true, agents: true }))
    .max(500)
    .readonly(),
});

const proposePlan: OrchestratorTool<Run> = {
  name: "propose_plan",
  answers: { plan: 1, "plan changed": 1 },
  make: () =>
    structuredTool(
      "propose_plan",
      "Proposes the whole plan of the run. Use it once you know which files the goal touches; propose it whole each time.",
      proposed,
    ),
};

const newPart = plannedTask
  .omit({ phase: true, delegate: true, attempts: true, agents: true })
  .extend({ after: plannedTask.shape.after.default([]) });
const newTask = newPart.omit({ budget: true });
const reason = z.string().min(1).max(2_000);

const workersShape = z.strictObject({ tasks: z.array(newTask).min(1).max(20), reason });
const subtreeShape = z.strictObject({ task: newPart, reason });

/** What a call of either tool wants, as tasks of the plan that begin at once. */
function tasksOf(
  run: RunReader,
  orchestrator: string,
  tool: string,
  value: unknown,
): { readonly tasks: readonly PlannedTask[]; readonly reason: string } {
  const phase = phaseNow(run, orchestrator) ?? 1;
  if (tool === "spawn_subtree") {
    const { task, reason: why } = subtreeShape.parse(value);
    return { tasks: [{ ...task, phase, delegate: true }], reason: why };
  }
  const { tasks, reason: why } = workersShape.parse(value);
  return { tasks: tasks.map((task) => ({ ...task, phase })), reason: why };
}

interface Spawn {
  readonly orchestrator: string;
  /** The same after a restart; unique among the orchestrator's own. */
  readonly key: string;
  readonly tasks: readonly PlannedTask[];
  readonly reason: string;
}

type SpawnOutcome =
  | { readonly added: true; readonly workers: readonly { readonly task: string; readonly worker: string }[] }
  | { readonly added: false; readonly reason: string };

const addingOf = (tasks: readonly PlannedTask[]): readonly PlanEdit[] =>
  tasks.map((task) => ({ kind: "add", task }));

/**
 * Tasks that an orchestrator adds to its plan in progress: amended like any plan, with the same rules and
 * caps, and the user's approval wherever its plan needed one. (design section 5; HYLO-10, HYLO-11)
 *
 * The phase in which something added now begins at once; null while nothing is carried out.
 */
function phaseNow(run: RunReader, orchestrator: string): number | null {
  const { current } = run.stateOf(orchestrator);
  if (current.stage === "executing") return Math.max(1, current.phase);
  const { plan } = run.orchestratorFacts(orchestrator);
  return current.stage === "integrating" && plan !== null
    ? Math.max(1, ...plan.tasks.map((task) => task.phase))
    : null;
}

/** Why tasks cannot be added, in words for the orchestrator that wants them; null when they can. */
function spawnProblem(run: Run, orchestrator: string, tasks: readonly PlannedTask[]): string | null {
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
async function spawn(run: Run, spawned: Spawn): Promise<SpawnOutcome> {
  const { orchestrator, tasks } = spawned;
  const key = scoped(orchestrator, spawned.key);
  return run.step(`${key}/spawned`, async (): Promise<SpawnOutcome> => {
    try {
      // After a crash they may already be in the plan.
      const left = tasks.filter(
        ({ id }) => !run.orchestratorFacts(orchestrator).plan?.tasks.some((one) => one.id === id),
      );
      const refusal = left.length === 0 ? null : await refusedByUser(run, spawned);
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
async function refusedByUser(run: Run, { orchestrator, key, tasks, reason }: Spawn): Promise<string | null> {
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

/** Both add to the plan what an event shows to be missing; the event is put again afterwards. */
const spawnTool = (name: string, words: string, shape: z.ZodType, place: number): OrchestratorTool<Run> => ({
  name,
  answers: {
    "user message": place,
    "merge request ready": place + 2,
    "child stalled": place + 2,
    "child silent": place + 2,
    "child blocked": place + 2,
    "conflict forecast": place + 2,
  },
  make(run, orchestrator) {
    const tool = structuredTool(name, words, shape);
    return {
      ...tool,
      // Report at the call what cannot be added, so that the model can fix it at once.
      async run(input, context) {
        const { tasks } = tasksOf(run, orchestrator, name, input);
        const problem = spawnProblem(run, orchestrator, tasks);
        return problem === null
          ? tool.run(input, context)
          : { ok: false, error: "invalid-input", output: problem };
      },
    };
  },
  async execute(run, { orchestrator, key, value }) {
    const outcome = await spawn(run, { orchestrator, key, ...tasksOf(run, orchestrator, name, value) });
    return {
      reply: outcome.added
        ? prompt(
            section(
              "Added to your plan",
              outcome.workers.map(({ task, worker }) => promptLine`- ${task}: ${worker}`),
            ),
          )
        : prompt(promptLine`Nothing was added to your plan.`, section("Why", [quoteText(outcome.reason)])),
    };
  },
});

/** Tools with which an orchestrator adds agents or parts to a plan in progress. (HYLO-10) */
const spawnTools: readonly OrchestratorTool<Run>[] = [
  spawnTool(
    "spawn_workers",
    "Adds tasks to your plan in progress, one agent each. Use it when the work is concrete enough for one agent to do directly. The reason is shown to the user, who may have to agree. The event is repeated afterwards.",
    workersShape,
    3,
  ),
  spawnTool(
    "spawn_subtree",
    "Adds one task to your plan that an orchestrator below you decomposes, with separate agents, contracts and integration. Use it when the work needs to be decomposed further. The reason is shown to the user, who may have to agree. The event is repeated afterwards.",
    subtreeShape,
    4,
  ),
];

/** Creates the plan, and takes over the user's edits of its tasks' descriptions and dependencies. */
export const planning: Feature<Run> = {
  name: "planning",
  commands: planEditing,
  ticks: [{ name: "the files of other runs", everyMs: () => 1_000, look: showTaken }],
  cardChecks: { plan: checkPlanAnswer },
  agents: {
    refuseDone: {
      name: "task-changes",
      why: (_, { isTaskChanged }) =>
        isTaskChanged
          ? "the user has changed your task meanwhile. Read it under Task and bring your work to it."
          : null,
    },
  },
  stageActions: {
    SpawnPlanningAgent: {
      title: "Planning failed",
      async perform(run, { orchestrator, action }, signal) {
        if (orchestrator === rootOf(run)) await planAndLook(run, action.round, signal);
        else await planRun(run, orchestrator, action.round);
      },
    },
  },
  orchestratorTools: [proposePlan, ...spawnTools],
  onGraph: importPlanEdits,
  answerTrouble,
  recover: finishAmendments,
};

/**
 * The root's orchestrator plans while the preflight runs the checks; what that finds is settled before the plan is shown.
 * Where it runs none, it is over before the orchestrator is asked.
 */
async function planAndLook(run: Run, round: number, signal: AbortSignal): Promise<void> {
  await prepareBase(run);
  const failed = new AbortController();
  const running = Promise.withResolvers<void>();
  const looked = lookFirst(run, AbortSignal.any([signal, failed.signal]), running.resolve);
  const isPlanned = isQuick(run) || run.orchestratorFacts(rootOf(run)).planApproved;
  const goesOn = await Promise.race([looked, ...(isPlanned ? [] : [running.promise.then(() => true)])]);
  if (!goesOn) return;
  try {
    await planRun(run, rootOf(run), round, async () => {
      if (run.facts.preflight.look === null)
        run.setActivity(rootOf(run), "checking", "preflight: running checks");
      if (!(await looked)) throw new Interrupted();
    });
  } finally {
    failed.abort();
    // It is not to run beside the next attempt; why it failed is heard above.
    await looked.catch(() => undefined);
  }
}

/**
 * Applies an answer to an agent's problem. Idempotent: after a crash the same answer is given again.
 *
 * @param key the card's id
 * @returns "again" if the agent retries, now or after a pause; "over" if the task has no agent any more;
 *   "open" if the answer could not be applied, so that the problem remains
 */
async function answerTrouble(
  run: Run,
  worker: string,
  key: string,
  decision: AnswerTo<"trouble">,
): Promise<TroubleEnd> {
  switch (decision.kind) {
    case "retry":
      if (decision.words)
        await sendMessage(run, {
          key: `${user}/${key}`,
          from: user,
          to: addressOf(run, worker),
          type: "info",
          text: decision.words,
        });
      return "again";
    case "leave-out":
    case "change-check":
      await changeChecks(run, decision, run.runEnded.signal);
      return "again";
    case "pause":
      pauseWorker(run, worker);
      return "again";
    case "abandon":
      return (await giveUpTask(run, worker)) ? "over" : "open";
    default:
      // Withdrawn: the task was given up or reassigned.
      return "over";
  }
}

/**
 * Takes a task out of its plan; dependents continue without it. False if the plan requires it, which is
 * reported.
 */
export async function giveUpTask(run: Run, worker: string): Promise<boolean> {
  const { task, title, changeId } = run.worker(worker).record;
  if (task === null) return true;
  if (changeId !== null && siblingAttempts(run, worker).length > 0) {
    await giveUpAttempt(run, changeId);
    return true;
  }
  try {
    await amendPlan(run, parentOf(run, worker), [{ kind: "remove", task }]);
    return true;
  } catch (error) {
    if (run.runEnded.signal.aborted) throw error;
    warnOf(run, error, `“${title}” could not be abandoned`);
    return false;
  }
}

/** Its change is abandoned; other attempts continue, and the plan keeps the task. */
async function giveUpAttempt(run: Run, changeId: string): Promise<void> {
  await run.lock.withAllExclusive(() =>
    rewriteBeneath(run, { what: null }, () => run.repository.abandon([changeId], { actor: "hox" })),
  );
  await run.refreshChanges();
}
