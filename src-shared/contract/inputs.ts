/** Schemas of everything that a client may send. Parsed at the border; trusted inside. */
import { z } from "zod";
import { landingHistories } from "../domain/landing-text.ts";
import { kinds, messageTypes, priorities, statuses } from "../domain/metadata.ts";

const line = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\r\n\0]*$/u, "must be one line");
const nothingOr = <T extends z.ZodType>(schema: T) => schema.nullable().optional();

export const changeId = z
  .string()
  .regex(/^[k-z]{4,64}(?:\/\d+)?$|^[0-9a-f]{4,64}$/u, "must be a change id or commit id");
export const commitId = z.string().regex(/^[0-9a-f]{8,64}$/u, "must be a commit id");
export const operationId = z.string().regex(/^[0-9a-f]{8,128}$/u, "must be an operation id");

export const metadataPatch = z.strictObject({
  kind: nothingOr(z.enum(kinds)),
  status: nothingOr(z.enum(statuses)),
  priority: nothingOr(z.enum(priorities)),
  rank: nothingOr(line(200)),
  run: nothingOr(line(200)),
  orchestrator: nothingOr(line(200)),
  agent: nothingOr(line(200)),
  phase: nothingOr(z.number().int().min(0).max(1000)),
  msgTo: nothingOr(line(200)),
  msgType: nothingOr(z.enum(messageTypes)),
  replyTo: nothingOr(line(200)),
  iteration: nothingOr(z.number().int().min(0)),
  metrics: nothingOr(line(20_000)),
});

const budget = z.strictObject({
  tokens: z.number().int().positive().nullable(),
  microDollars: z.number().int().positive().nullable(),
});

/** One task of a plan; `domain/plan.ts` says what each field means. */
export const plannedTask = z.strictObject({
  id: line(100).min(1),
  title: line(300).min(1),
  description: z.string().max(20_000),
  phase: z.number().int().min(1).max(50),
  priority: z.enum(priorities),
  files: z.array(line(500)).max(500).readonly(),
  after: z.array(line(100)).max(100).readonly(),
  delegate: z.boolean().optional(),
  budget: budget.optional(),
});

const wish = <const Values extends readonly [string, ...string[]]>(...values: Values) =>
  z
    .strictObject({
      value: z.enum(values),
      reason: z.string().max(500).optional(),
      by: z.literal("person").optional(),
    })
    .optional();

/** What of the ceremony is wanted otherwise than the plan asks for by itself; `domain/ceremony.ts` says what each means. */
export const ceremonyWishes = z.strictObject({
  contracts: wish("write", "none"),
  reviews: wish("each", "result"),
  integrator: wish("always", "needed"),
  seats: wish("all", "by-result", "one"),
  learning: wish("always", "taught", "never"),
});

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
  budget,
  ceremony: ceremonyWishes.optional(),
});

const checkCommand = line(4_000).trim().min(1, "must be a command");

export const decision = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("approve"),
    plan: plan.optional(),
    bookmark: line(200).optional(),
    writeChecks: z.boolean().optional(),
    history: z.enum(landingHistories).optional(),
    remember: z.enum(["run", "rule"]).optional(),
  }),
  z.strictObject({ kind: z.literal("reject"), reason: z.string().max(10_000) }),
  z.strictObject({ kind: z.literal("answer"), text: z.string().min(1).max(20_000) }),
  z.strictObject({
    kind: z.literal("extend"),
    tokens: z.number().int().positive().nullable(),
    microDollars: z.number().int().positive().nullable(),
  }),
  z.strictObject({ kind: z.literal("retry"), words: z.string().trim().max(20_000).optional() }),
  z.strictObject({
    kind: z.literal("leave-out"),
    commands: z.array(checkCommand).min(1).max(100).readonly(),
    writeChecks: z.boolean().optional(),
  }),
  z
    .strictObject({
      kind: z.literal("use-checks"),
      fast: z.array(checkCommand).max(50).readonly(),
      slow: z.array(checkCommand).max(50).readonly(),
      writeChecks: z.boolean().optional(),
    })
    .refine(({ fast, slow }) => fast.length + slow.length > 0, "name at least one check"),
  z.strictObject({ kind: z.literal("hold") }),
  z.strictObject({ kind: z.literal("abandon") }),
]);

export const runStart = z.strictObject({
  goal: z.string().trim().min(1, "say what the run should achieve").max(20_000),
  /** Null: the root orchestrator decides. */
  orchestrators: z.number().int().min(1).max(32).nullable().default(null),
  /** Left out: as configured. Null: no limit. */
  maxTokens: z.number().int().positive().nullable().optional(),
  maxMicroDollars: z.number().int().positive().nullable().optional(),
  /** Revset of the change to build on; null: the trunk bookmark or the working copy's parent. */
  onto: z.string().max(2_000).nullable().default(null),
  rehearsal: line(100).nullable().default(null),
  model: line(100).nullable().default(null),
});
export type RunStart = z.infer<typeof runStart>;

export const queueMove = z.strictObject({
  changeId,
  priority: z.enum(priorities),
  /** The neighbours at the place of the drop; null at an end of the band. */
  above: changeId.nullable(),
  below: changeId.nullable(),
});

export const settingsPatch = z.strictObject({
  theme: z.enum(["system", "light", "dark"]).optional(),
  model: line(100).optional(),
  maxParallelAgents: z.number().int().min(1).max(64).optional(),
  defaultMicroDollars: z.number().int().positive().nullable().optional(),
  defaultTokens: z.number().int().positive().nullable().optional(),
  allowUnsandboxed: z.boolean().optional(),
});

/** Name of a worker of the run that is open: `agent-1`, `integrator`. */
export const workerName = line(200).min(1);

export const undoWorker = z.strictObject({
  worker: workerName,
  /** What the agent does afterwards: begin anew, or wait until it is resumed. */
  afterwards: z.enum(["restart", "wait"]),
});
export type UndoWorker = z.infer<typeof undoWorker>;

const limit = z.number().int().positive().nullable();

export const reassignWorker = z.strictObject({
  worker: workerName,
  /** Null: the model of the one before. */
  model: line(100).min(1).nullable(),
  /** What the person tells the new one beside the task. */
  brief: z.string().trim().max(20_000),
});
export type ReassignWorker = z.infer<typeof reassignWorker>;

/** Of one worker, and of everyone below it. Null is no limit; what is left out stays. */
export const workerLimits = z.strictObject({
  worker: workerName,
  tokens: limit.optional(),
  microDollars: limit.optional(),
  /** Before a person is asked. Null: as for every worker of the run. */
  maxIterations: z.number().int().min(1).max(1_000).nullable().optional(),
});
export type WorkerLimits = z.infer<typeof workerLimits>;

/** Of the whole run. Null is no limit, or as configured; what is left out stays. */
export const runLimits = z.strictObject({
  tokens: limit.optional(),
  microDollars: limit.optional(),
  maxParallelAgents: z.number().int().min(1).max(64).nullable().optional(),
  maxIterations: z.number().int().min(1).max(1_000).nullable().optional(),
});
export type RunLimits = z.infer<typeof runLimits>;
