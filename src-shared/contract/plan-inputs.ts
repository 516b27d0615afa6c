/** Schemas of a plan, and of what a client may do to it, before it is approved and during the run. */
import { z } from "zod";
import { priorities } from "../domain/change-metadata/metadata.ts";
import { maxAttempts, taskContexts } from "../domain/plan/plan.ts";
import { eachStage, stageModes, workflowStages } from "../domain/workflow/workflow.ts";
import { amounts, line } from "./fields.ts";

/** One task of a plan; `domain/plan.ts` says what each field means. */
export const plannedTask = z.strictObject({
  id: line(100).min(1),
  title: line(300).min(1),
  description: z.string().max(20_000),
  phase: z.number().int().min(1).max(50),
  priority: z.enum(priorities),
  files: z.array(line(500)).max(500).readonly(),
  symbols: z
    .array(line(500))
    .max(500)
    .readonly()
    .optional()
    .describe(
      'What the task changes inside files that another task claims too: "src/api.ts#createUser", "src/api.ts#UserStore.save". Existing or new functions, classes, methods, fields; all of them.',
    ),
  after: z.array(line(100)).max(100).readonly(),
  delegate: z.boolean().optional(),
  attempts: z.number().int().min(1).max(maxAttempts).optional(),
  agents: z.array(line(100)).max(maxAttempts).readonly().optional(),
  context: z
    .enum(taskContexts)
    .optional()
    .describe(
      '"inherit" begins it with your conversation so far, which each request of its first iteration pays for again. Use it only when your findings do not fit into a description. Default: fresh.',
    ),
  budget: amounts.optional(),
});

/** Chosen workflow stages; `domain/workflow` describes each. */
const stageChoice = z
  .strictObject({
    mode: z.enum(["on", "off"]),
    reason: z.string().max(500).optional(),
    by: z.literal("user").optional(),
  })
  .optional();

export const plan = z.strictObject({
  goal: z.string().min(1).max(20_000),
  summary: z.string().max(20_000),
  orchestrators: z.strictObject({ count: z.number().int().min(1).max(32), reason: z.string().max(2_000) }),
  contracts: z.strictObject({
    title: line(300),
    description: z.string().max(20_000),
    files: z.array(line(500)).max(500).readonly(),
  }),
  phases: z
    .array(z.strictObject({ number: z.number().int().min(1).max(50), title: line(300) }))
    .max(50)
    .readonly(),
  tasks: z.array(plannedTask).max(500).readonly(),
  integration: z.strictObject({ title: line(300), description: z.string().max(20_000) }).nullable(),
  budget: amounts,
  workflow: z.strictObject(eachStage(() => stageChoice)).optional(),
});

const task = plan.shape.tasks.unwrap().element;
const id = task.shape.id;
const { title, description, files, attempts, agents } = task.shape;
const { number, title: phaseTitle } = plan.shape.phases.unwrap().element.shape;

/** One edit of a plan; `domain/plan-edit.ts` says what each means. */
const planEdit = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("add"), task }),
  z.strictObject({ kind: z.literal("remove"), task: id }),
  z.strictObject({ kind: z.literal("link"), task: id, after: id }),
  z.strictObject({ kind: z.literal("unlink"), task: id, after: id }),
  z.strictObject({ kind: z.literal("move"), task: id, phase: number }),
  z.strictObject({
    kind: z.literal("change"),
    task: id,
    patch: z.strictObject({
      title: title.optional(),
      description: description.optional(),
      priority: z.enum(priorities).optional(),
      files: files.optional(),
      attempts: attempts.unwrap().optional(),
      agents: agents.unwrap().optional(),
      context: z.enum(taskContexts).optional(),
    }),
  }),
  z.strictObject({ kind: z.literal("phase"), number, title: phaseTitle }),
  z.strictObject({ kind: z.literal("contracts"), ...plan.shape.contracts.shape }),
  z.strictObject({ kind: z.literal("integration"), ...plan.shape.integration.unwrap().shape }),
  z.strictObject({ kind: z.literal("workflow"), stage: z.enum(workflowStages), mode: z.enum(stageModes) }),
  z.strictObject({ kind: z.literal("budget"), ...plan.shape.budget.shape }),
]);

/** Edits of the plan of one orchestrator of the active run; all of them are made, or none. */
export const planAmendment = {
  /** Default: the run's root. */
  orchestrator: z.string().max(200).optional(),
  edits: z.array(planEdit).min(1).max(200).readonly(),
};
