import { z } from "zod";
import type { CheckResult } from "../../domain/conversation/conversation.ts";
import { isGreen, type MergeRequestReview } from "../../domain/merge-request/merge-request.ts";
import { type BeyondTask, formatOutOfScopeFile } from "../../domain/merge-request/out-of-scope-files.ts";
import { type MissingWork, missingLine } from "../../domain/missing-work/missing-work.ts";
import { outcomeText } from "../../domain/project/preflight.ts";
import { block, shownLine } from "../../domain/text/shown-text.ts";
import { approve, type CardBase, type CardKind, decisionKeys, isNo, isYes, reject } from "./card.ts";

/**
 * An agent's finished work for the user to judge: accept it, ask for changes, or give the task up. (HYLO-6)
 */
export interface MergeRequestCard extends CardBase {
  readonly kind: "merge-request";
  /** The agent, its task and the change that it offers. */
  readonly from: string;
  readonly title: string;
  readonly changeId: string;
  readonly commitId: string;
  readonly round: number;
  /** Why the user is asked: always, because the parent leaves it to them, or after too many rounds. */
  readonly why: "user-reviews" | "passed-on" | "too-many-rounds";
  readonly summary: string;
  readonly diff: string;
  /** Files in it that the task was not given, and contracts. (HYLO-16) */
  readonly beyond: readonly BeyondTask[];
  /** Work of tasks that it contains and dropped. Absent: none. */
  readonly missing?: readonly MissingWork[];
  /** Of a fresh checkout of that commit. */
  readonly checks: readonly CheckResult[];
  /** Reviews so far. */
  readonly reviews: readonly MergeRequestReview[];
}

const answer = z.discriminatedUnion("kind", [
  approve,
  reject,
  // Gives up the task whose work is in question.
  z.strictObject({ kind: z.literal("abandon") }),
]);

const reasons: Readonly<Record<MergeRequestCard["why"], string>> = {
  "user-reviews": "you review finished work",
  "passed-on": "its orchestrator leaves it to you",
  "too-many-rounds": "sent back the maximum number of times",
};

export const mergeRequestKind: CardKind<MergeRequestCard, z.infer<typeof answer>> = {
  title: "Merge request",
  tone: "accent",
  gate: "merge_requests",
  answer,
  headline: ({ title }) => title,
  from: ({ from }) => from,
  options: () => [
    { key: decisionKeys.approve, typed: "y", does: "accepts the work" },
    { key: decisionKeys.reject, typed: "rename it", does: "sends it back with your comment" },
    { key: decisionKeys.abandon, typed: "abandon", does: "abandons the task" },
  ],
  lines: (item) => [
    `${item.from} is done: ${shownLine(item.title)} (round ${item.round}, ${reasons[item.why]})`,
    `  ${shownLine(item.summary)}`,
    ...item.checks.map((check) => `  ${outcomeText[check.outcome]}: ${shownLine(check.name)}`),
    ...(item.missing ?? []).map((work) => `  missing: ${missingLine(work)}`),
    ...item.beyond.map((one) => `  outside its task: ${shownLine(formatOutOfScopeFile(one))}`),
    ...item.reviews.map(
      (review) => `  round ${review.round}, ${review.by}: ${review.verdict} ${shownLine(review.words)}`,
    ),
    ...block(item.diff),
  ],
  question: () => "Accept it? [y, what should change, or abandon]",
  understand(_, typed) {
    if (typed === "" || isNo(typed)) return null;
    if (isYes(typed)) return { kind: "approve" };
    return typed === "abandon" ? { kind: "abandon" } : { kind: "reject", reason: typed };
  },
  whyNot: () => "Describe what should change. The agent will read it.",
  // Work whose checks fail, or that drops another task's, is not what was approved in advance.
  answerInAdvance: ({ checks, missing = [] }) =>
    isGreen(checks) && missing.length === 0 ? { kind: "approve" } : null,
};
