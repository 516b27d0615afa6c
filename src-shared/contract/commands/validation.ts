import { z } from "zod";
import { changeId, limit, line } from "../fields.ts";
import type { CalibrationForecast, CalibrationView } from "../views/calibration.ts";
import type { ChangeValidation, Progress } from "../views/change-validation.ts";
import { answers, nothing, toRun } from "./command.ts";

const revset = z.string().trim().min(1).max(2_000);
const spends = {
  /** Left out: as configured. Null: no limit. */
  maxTokens: limit.optional(),
  maxMicroDollars: limit.optional(),
};
const ofOne = z.strictObject({ id: line(100).min(1) });
const after = z.number().int().min(0);

const calibrates = z.strictObject({
  /** Revset of one good change; null: what a run would be built on. */
  change: revset.nullable().default(null),
  /** Commits with each kind of mistake. */
  perKind: z.number().int().min(1).max(20).default(2),
  ...spends,
});

/** Judging a change without a run, and measuring how far that can be trusted. */
export const validationCommands = {
  /** Begins to judge a change. Answers under what name its progress is asked for. */
  "change.validate": toRun(
    z.strictObject({
      change: revset,
      /** What it should do; null: its description says it. */
      goal: z.string().trim().max(20_000).nullable().default(null),
      /** What it is compared with; null: its parents. */
      from: revset.nullable().default(null),
      ...spends,
    }),
    answers<{ id: string }>(),
  ),
  /** What came after a version; waits a while for it. */
  "change.validateMore": toRun(ofOne.extend({ after }), answers<Progress<ChangeValidation>>()),
  /** Nobody wants the verdict any more. Resolves when nothing of it is left behind. Safe to repeat. */
  "change.cancelValidate": toRun(ofOne, nothing),
  /** The last one of a change, by its full id, also while it goes on; null: nobody has judged it. */
  "change.lastValidation": toRun(z.strictObject({ changeId }), answers<ChangeValidation | null>()),

  /** What it would do and cost. Asks no model. */
  "calibration.forecast": toRun(calibrates, answers<CalibrationForecast>()),
  /** Begins it, or goes on with one of the same commit and panel that did not come to its end. */
  "calibration.begin": toRun(calibrates, answers<{ id: string }>()),
  "calibration.more": toRun(ofOne.extend({ after }), answers<Progress<CalibrationView>>()),
  /** Resolves when nothing of it is left behind; what was judged is kept. Safe to repeat. */
  "calibration.cancel": toRun(ofOne, nothing),
  /** The newest one, finished or not. */
  "calibration.last": toRun(nothing, answers<CalibrationView | null>()),
};
