import type { z } from "zod";
import type { AnswerOption } from "./answer-options.ts";
import type { Gate } from "./gates.ts";

/** The fields of every card, in addition to its kind's. */
export interface CardBase {
  readonly id: string;
  readonly run: string;
  readonly at: number;
  /** One-time; an answer must carry it and the hash of what was shown. */
  readonly nonce: string;
  readonly shown: string;
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
