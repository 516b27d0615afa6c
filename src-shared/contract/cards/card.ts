import { z } from "zod";

/** The fields of every card, in addition to its kind's. */
export interface CardBase {
  readonly id: string;
  readonly run: string;
  readonly at: number;
  /** One-time; an answer must carry it and the hash of what was shown. */
  readonly nonce: string;
  readonly shown: string;
  /** Who answered, where several people share the host. */
  readonly answeredBy?: string;
  /** The same question was answered in the same way so often, one time after the other, and came back. */
  readonly repeat?: { readonly times: number; readonly answer: string };
}

type CardTone = "neutral" | "accent" | "info" | "success" | "warning" | "danger";

/** The answers that a kind of card accepts, by their `kind`. */
type AnswerSchema<Answer> = z.ZodType<Answer, Answer> & {
  readonly options: readonly { readonly shape: { readonly kind: { readonly value: string } } }[];
};

/** Why an answer does not count, and what to do instead. */
export interface AnswerRefusal {
  readonly message: string;
  readonly remedy: string;
}

/**
 * Everything about one kind of card, for window, terminal and host. A row is used for cards of its own kind
 * only (see `kindOfCard`).
 */
export interface CardKind<Item extends CardBase, Answer extends { readonly kind: string }> {
  /** What it is called, in the list and when an answer fails. */
  readonly title: string;
  readonly tone: CardTone;
  /** Opening this gate in advance answers the card by `answerInAdvance`; null: only the user answers. */
  readonly gate: Gate | null;
  /** What may be answered. Parsed at the border, and once more by the inbox, which knows the card. */
  readonly answer: AnswerSchema<Answer>;
  /** What it is about, in one line. */
  headline(item: Item): string;
  /** The worker whose card it is; null: the run's. */
  from(item: Item): string | null;
  options(item: Item): readonly AnswerOption[];
  /** As text for a terminal. Everything in it is untrusted: what is part of a line must begin no other. */
  lines(item: Item): readonly string[];
  /** What a terminal asks below that. */
  question(item: Item): string;
  /** What was typed at a terminal, trimmed; null: it is no answer. */
  understand(item: Item, typed: string): Answer | null;
  /** Why what was typed is no answer; never asked about an empty line. */
  whyNot(item: Item, typed: string): string;
  /** What was decided with the opening of the gate; null: that is not what was approved. */
  answerInAdvance(item: Item): Answer | null;
  /** No work waits for the answer, so a run can end without it. Default: work waits. */
  readonly isInert?: true;
  /** When its worker starts to wait for the answer, if it continues at first. Default: at once. */
  readonly askerWaits?: "next-iteration" | "when-done";
  /** No agent of the run works before it is answered: it comes before every other card. */
  stopsRun?(item: Item): boolean;
  /** Why this card does not take an answer that its kind takes, as far as the card itself says. */
  refusal?(item: Item, answer: Answer): AnswerRefusal | null;
}

/** Keys of the decisions that cards share, while a card is open. */
export const decisionKeys = { approve: "a", reject: "r", pause: "p", abandon: "x", again: "t" } as const;

export interface AnswerOption {
  /** In the window; null: by what is typed or chosen there. */
  readonly key: string | null;
  /** At a terminal, as it is typed. */
  readonly typed: string;
  readonly does: string;
}

/** The command that answers a card in a terminal. @param name see `cardName` */
export const answerCommand = (name: string, { typed }: AnswerOption): string => `hox answer ${name} ${typed}`;

/** What the keys of cards do, each once, for the help. */
export function keysOfCards(): readonly (readonly [key: string, what: string])[] {
  const { approve, reject, pause, abandon, again } = decisionKeys;
  return [
    [approve, "approve, accept, extend, or retry"],
    [reject, "reject, or give a reason"],
    [pause, "pause the failed agent"],
    [abandon, "abandon the task"],
    [again, "run preflight again"],
    ["m", "send the suggestion to an agent"],
    ["i", "save a suggestion as an idea"],
    ["1", "the options of a question"],
  ];
}

export const approve = z.strictObject({ kind: z.literal("approve") });
export const reject = z.strictObject({ kind: z.literal("reject"), reason: z.string().max(10_000) });

export const isYes = (typed: string): boolean => /^y(es)?$/iu.test(typed);
export const isNo = (typed: string): boolean => /^n(o)?$/iu.test(typed);

/** Approved or rejected, without a text. */
const yesOrNoAnswer = z.discriminatedUnion("kind", [approve, reject]);
export type YesOrNoAnswer = z.infer<typeof yesOrNoAnswer>;

/**
 * What cards share that are approved, or rejected with a reason.
 *
 * @param does what a yes does
 * @param doesNot what a no does
 */
export const yesOrNo = (does: string, doesNot: string) => ({
  answer: yesOrNoAnswer,
  options: (): readonly AnswerOption[] => [
    { key: decisionKeys.approve, typed: "y", does },
    { key: decisionKeys.reject, typed: "n", does: doesNot },
    { key: decisionKeys.reject, typed: "because …", does: `${doesNot}, with your reason` },
  ],
  question: () => "Approve? [y/n, or a reason against it]",
  understand(_: unknown, typed: string): YesOrNoAnswer | null {
    if (typed === "") return null;
    if (isYes(typed)) return { kind: "approve" };
    return { kind: "reject", reason: isNo(typed) ? "Rejected at the terminal." : typed };
  },
  whyNot: () => "Invalid answer.",
  answerInAdvance: (): YesOrNoAnswer => ({ kind: "approve" }),
});

/** Gates that the user may open in advance, so that their cards are answered automatically. */
export const gates = [
  "preflight",
  "plan",
  "mutations",
  "dependencies",
  "merge_requests",
  "patterns",
  "land",
  "questions",
] as const;

export type Gate = (typeof gates)[number];
