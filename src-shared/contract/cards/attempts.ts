import { z } from "zod";
import type { CheckResult } from "../../domain/conversation/conversation.ts";
import { isGreen } from "../../domain/merge-request/merge-request.ts";
import { notMetered } from "../../domain/spending/unmetered.ts";
import { shownLine } from "../../domain/text/shown-text.ts";
import { workerName } from "../fields.ts";
import type { AnswerOption, CardBase, CardKind } from "./card.ts";

/** An attempt's state when the card was shown. */
export interface AttemptOnCard {
  readonly worker: string;
  /** Counted from 1 in the order in which they came. */
  readonly nth: number;
  readonly model: string;
  readonly summary: string;
  readonly files: readonly { readonly path: string; readonly added: number; readonly removed: number }[];
  readonly checks: readonly CheckResult[];
  readonly iterations: number;
  readonly microDollars: number;
  /** Its cost is not known. */
  readonly isUnmetered?: boolean;
  readonly ms: number;
  /** It got stuck, and offers nothing. */
  readonly isStuck: boolean;
}

/** All attempts at a task have ended, and the user chooses one. (HYLO-3) */
export interface AttemptsCard extends CardBase {
  readonly kind: "attempts";
  readonly orchestrator: string;
  readonly task: string;
  readonly title: string;
  readonly attempts: readonly AttemptOnCard[];
}

const answer = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("choose"), worker: workerName }),
  // Withdrawn: it was decided without the card, or one of them works again.
  z.strictObject({ kind: z.literal("reject"), reason: z.string().max(10_000) }),
]);
type Answer = z.infer<typeof answer>;

const isFinished = ({ isStuck, checks }: AttemptOnCard): boolean => !isStuck && isGreen(checks);

const sizeOf = ({ files }: AttemptOnCard): string =>
  `${files.length} ${files.length === 1 ? "file" : "files"}, +${files.reduce((sum, { added }) => sum + added, 0)} −${files.reduce((sum, { removed }) => sum + removed, 0)}`;

const checksOf = (one: AttemptOnCard): string =>
  one.isStuck ? "got stuck" : isGreen(one.checks) ? "checks pass" : "checks fail";

/** The result of one attempt, in one line. */
const formatAttempt = (one: AttemptOnCard): string =>
  `${one.worker} (${one.model}): ${checksOf(one)}; ${sizeOf(one)}; ${one.iterations} ${one.iterations === 1 ? "iteration" : "iterations"}; ${one.isUnmetered ? notMetered : `$${(one.microDollars / 1e6).toFixed(2)}`}`;

export const attemptsKind: CardKind<AttemptsCard, Answer> = {
  title: "Attempts",
  tone: "accent",
  gate: "merge_requests",
  answer,
  headline: ({ title, attempts }) => `Choose between ${attempts.length} attempts: ${title}`,
  from: () => null,
  options: ({ attempts }): readonly AnswerOption[] =>
    attempts.map(({ worker, nth }) => ({
      key: String(nth),
      typed: String(nth),
      does: `chooses ${worker}; the others are abandoned and can be restored`,
    })),
  lines: (item) => [
    `${item.attempts.length} attempts at “${shownLine(item.title)}” have ended`,
    ...item.attempts.flatMap((one) => [
      `  ${one.nth}. ${shownLine(formatAttempt(one))}`,
      ...(one.summary === "" ? [] : [`     ${shownLine(one.summary)}`]),
    ]),
    "  hox attempts compares them",
  ],
  question: ({ attempts }) => `Which one? [${attempts.map(({ nth }) => nth).join(", ")}]`,
  understand({ attempts }, typed) {
    const found = attempts.find(({ worker, nth }) => typed === worker || typed === String(nth));
    return found ? { kind: "choose", worker: found.worker } : null;
  },
  whyNot: ({ attempts }) => `Answer with one of ${attempts.map(({ nth }) => nth).join(", ")}.`,
  // Where one alone holds up there is nothing to choose.
  answerInAdvance({ attempts }) {
    const [only, ...more] = attempts.filter(isFinished);
    return only && more.length === 0 ? { kind: "choose", worker: only.worker } : null;
  },
  refusal({ attempts }, given) {
    if (given.kind !== "choose" || attempts.some(({ worker }) => worker === given.worker)) return null;
    return {
      message: `${given.worker} is not one of these attempts.`,
      remedy: `Choose one of ${attempts.map(({ worker }) => worker).join(", ")}.`,
    };
  },
};
