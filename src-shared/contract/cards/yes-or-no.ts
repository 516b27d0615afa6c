/** Cards that are approved, or rejected with a reason. */
import { z } from "zod";
import { type AnswerOption, decisionKeys } from "./answer-options.ts";

export const approve = z.strictObject({ kind: z.literal("approve") });
export const reject = z.strictObject({ kind: z.literal("reject"), reason: z.string().max(10_000) });

export const isYes = (typed: string): boolean => /^y(es)?$/iu.test(typed);
export const isNo = (typed: string): boolean => /^n(o)?$/iu.test(typed);

type YesOrNo = z.infer<typeof approve> | z.infer<typeof reject>;

const yes: YesOrNo = { kind: "approve" };

/** What yes and no do, the no with a reason. */
export const yesOrWhyNot = (does: string, doesNot: string): readonly AnswerOption[] => [
  { key: decisionKeys.approve, typed: "y", does },
  { key: decisionKeys.reject, typed: "n", does: doesNot },
  { key: decisionKeys.reject, typed: "because …", does: `${doesNot}, with your reason` },
];

/** The half of a row that such cards share. */
export const yesOrNo = {
  question: () => "Approve? [y/n, or a reason against it]",
  understand(_: unknown, typed: string): YesOrNo | null {
    if (typed === "") return null;
    if (isYes(typed)) return yes;
    return { kind: "reject", reason: isNo(typed) ? "Rejected at the terminal." : typed };
  },
  whyNot: () => "Invalid answer.",
  answerInAdvance: (): YesOrNo => yes,
};

/** Approved or rejected, without a text. */
export const yesOrNoAnswer = z.discriminatedUnion("kind", [approve, reject]);
export type YesOrNoAnswer = z.infer<typeof yesOrNoAnswer>;
