/** Tools with which an orchestrator adds to its plan while it is carried out: agents, or a part of its own. (HYLO-10) */
import { z } from "zod";
import { plannedTask } from "#shared/contract/plan-inputs.ts";
import type { PlannedTask } from "#shared/domain/plan/plan.ts";
import { prompt, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import { structuredTool } from "../../../../tools/structured-tool.ts";
import type { OrchestratorTool } from "../../../kernel/feature.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { phaseNow, spawn, spawnProblem } from "./spawning.ts";

const newPart = plannedTask
  .omit({ phase: true, delegate: true, attempts: true })
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

/** Both add to the plan what an event shows to be missing; the event is put again afterwards. */
const spawnTool = (name: string, words: string, shape: z.ZodType, place: number): OrchestratorTool<Run> => ({
  name,
  answers: {
    "user message": place,
    "fold ready": place + 2,
    "child stalled": place + 2,
    "child silent": place + 2,
    "child blocked": place + 2,
  },
  make(run, orchestrator) {
    const tool = structuredTool(name, words, shape);
    return {
      ...tool,
      // What cannot be added is said at the call, so that the model mends it at once.
      async run(input, context) {
        const { tasks } = tasksOf(run, orchestrator, name, input);
        const problem = spawnProblem(run, orchestrator, tasks);
        return problem === null
          ? tool.run(input, context)
          : { ok: false, error: "invalid-input", output: problem };
      },
    };
  },
  async carryOut(run, { orchestrator, key, value }) {
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

export const spawnTools: readonly OrchestratorTool<Run>[] = [
  spawnTool(
    "spawn_workers",
    "Adds tasks to your plan while it is carried out, one agent each. Use it when the work is concrete enough for one agent to do directly. The reason is shown to the user, who may have to agree. What you were asked is put to you again afterwards.",
    workersShape,
    3,
  ),
  spawnTool(
    "spawn_subtree",
    "Adds one task to your plan that an orchestrator below you decomposes, with separate agents, contracts and integration. Use it when the work needs to be decomposed further. The reason is shown to the user, who may have to agree. What you were asked is put to you again afterwards.",
    subtreeShape,
    4,
  ),
];
