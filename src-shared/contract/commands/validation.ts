import { z } from "zod";
import { changeId, limit, line } from "../fields.ts";
import type { ChangeValidation, Progress } from "../views/validation.ts";
import { answers, nothing, repositoryCommand } from "./command.ts";

const revset = z.string().trim().min(1).max(2_000);
const spends = {
  /** Left out: as configured. Null: no limit. */
  maxTokens: limit.optional(),
  maxMicroDollars: limit.optional(),
};
const ofOne = { id: line(100).min(1) };
const after = z.number().int().min(0);

/** Judging a change without a run. */
export const validationCommands = {
  /** Begins to judge a change. Answers under what name its progress is asked for. */
  "change.validate": repositoryCommand(
    {
      change: revset,
      /** What it should do; null: its description says it. */
      goal: z.string().trim().max(20_000).nullable().default(null),
      /** What it is compared with; null: its parents. */
      from: revset.nullable().default(null),
      ...spends,
    },
    answers<{ id: string }>(),
  ),
  /** What came after a version; waits a while for it. */
  "change.validateMore": repositoryCommand({ ...ofOne, after }, answers<Progress<ChangeValidation>>()),
  /** Nobody wants the verdict any more. Resolves when nothing of it is left behind. Safe to repeat. */
  "change.cancelValidate": repositoryCommand(ofOne, nothing),
  /** The last one of a change, by its full id, even while it runs; null: it was never judged. */
  "change.lastValidation": repositoryCommand({ changeId }, answers<ChangeValidation | null>()),
};
