import { z } from "zod";
import { shownLine } from "../../domain/text/shown-text.ts";
import type { CardBase, CardKind } from "./card.ts";

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
