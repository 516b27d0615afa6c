/** Schemas of everything that a client may send. Parsed at the border; trusted inside. */
import { z } from "zod";
import { kinds, messageTypes, priorities, statuses } from "../domain/graph-words/metadata.ts";
import { changeId, limit, line, workerName } from "./fields.ts";

const nothingOr = <T extends z.ZodType>(schema: T) => schema.nullable().optional();

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

export const undoWorker = z.strictObject({
  worker: workerName,
  /** What the agent does afterwards: begin anew, or wait until it is resumed. */
  afterwards: z.enum(["restart", "wait"]),
});
export type UndoWorker = z.infer<typeof undoWorker>;

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
