import { z } from "zod";
import { block, shownLine, shownName } from "../../domain/text/shown-text.ts";
import { type CardBase, type CardKind, type YesOrNoAnswer, yesOrNo } from "./card.ts";

export interface MutationCard extends CardBase {
  readonly kind: "mutation";
  readonly from: string;
  readonly title: string;
  readonly reason: string;
  readonly diff: string;
  /** It is too long to be shown whole. */
  readonly isDiffCut?: boolean;
  readonly binds: readonly string[];
  /** Found by a dry run on the real graph. */
  readonly conflicts: readonly {
    readonly worker: string;
    readonly changeId: string;
    readonly files: readonly string[];
  }[];
}

export const mutationKind: CardKind<MutationCard, YesOrNoAnswer> = {
  ...yesOrNo("applies the decision to all agents it binds", "changes nothing"),
  title: "Decision",
  tone: "warning",
  gate: "mutations",
  headline: ({ title }) => title,
  from: ({ from }) => from,
  lines: (item) => [
    `${item.from} decides: ${shownLine(item.title)}`,
    `  ${shownLine(item.reason)}`,
    `  binds ${item.binds.map(shownName).join(", ") || "no agents yet"}`,
    ...item.conflicts.map(
      (conflict) => `  will conflict: ${conflict.worker} in ${conflict.files.map(shownName).join(", ")}`,
    ),
    ...block(item.diff),
    ...(item.isDiffCut ? ["  Diff too long. Only the first part is shown."] : []),
  ],
};

export interface QuestionCard extends CardBase {
  readonly kind: "align-request";
  readonly from: string;
  readonly question: string;
  readonly options: readonly string[];
  readonly changeId: string | null;
}

const answer = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("answer"), text: z.string().min(1).max(20_000) }),
]);

export const questionKind: CardKind<QuestionCard, z.infer<typeof answer>> = {
  title: "Question",
  tone: "info",
  gate: "questions",
  answer,
  headline: ({ question }) => question.trim().split("\n", 1)[0] ?? question,
  from: ({ from }) => from,
  options: () => [
    { key: "1", typed: "1", does: "chooses that option, if there are options" },
    { key: null, typed: "use text", does: "answers in your own words" },
  ],
  lines: (item) => [
    `${item.from} asks: ${shownLine(item.question)}`,
    ...item.options.map((option, index) => `  ${index + 1}. ${shownLine(option)}`),
  ],
  question: ({ options }) => (options.length > 0 ? "Number, or your own answer:" : "Your answer:"),
  understand({ options }, typed) {
    const option = /^\d+$/u.test(typed) ? options[Number(typed) - 1] : undefined;
    const text = option ?? typed;
    return text === "" ? null : { kind: "answer", text };
  },
  whyNot: () => "Invalid answer.",
  answerInAdvance({ options: [first] }) {
    return first === undefined ? null : { kind: "answer", text: first };
  },
};
