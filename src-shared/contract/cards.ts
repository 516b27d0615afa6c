/** Every kind of card, and all that there is to say of it. A new kind is a file in `cards`, a row here, and its picture in the window. */
import { z } from "zod";
import { attemptsKind } from "./cards/attempts.ts";
import { budgetKind } from "./cards/budget.ts";
import type { AnswerRefusal, CardKind } from "./cards/card.ts";
import { dependencyKind } from "./cards/dependency.ts";
import { landKind } from "./cards/land.ts";
import { mergeRequestKind } from "./cards/merge-request.ts";
import { mutationKind, questionKind } from "./cards/mutation.ts";
import { patternKind } from "./cards/pattern.ts";
import { amendmentKind, depthKind, planKind } from "./cards/plan.ts";
import { preflightKind, sandboxKind } from "./cards/preflight.ts";
import { protectedKind } from "./cards/protected.ts";
import { suggestionKind } from "./cards/suggestion.ts";
import { troubleKind } from "./cards/trouble.ts";
import { votesKind } from "./cards/votes.ts";

const cards = {
  plan: planKind,
  depth: depthKind,
  amendment: amendmentKind,
  "align-request": questionKind,
  mutation: mutationKind,
  budget: budgetKind,
  votes: votesKind,
  "merge-request": mergeRequestKind,
  attempts: attemptsKind,
  pattern: patternKind,
  land: landKind,
  protected: protectedKind,
  dependency: dependencyKind,
  preflight: preflightKind,
  sandbox: sandboxKind,
  suggestion: suggestionKind,
  trouble: troubleKind,
};

export type InboxKind = keyof typeof cards;

type Items = {
  [Kind in InboxKind]: (typeof cards)[Kind] extends CardKind<infer Item, infer _> ? Item : never;
};
type Answers = {
  [Kind in InboxKind]: (typeof cards)[Kind] extends CardKind<infer _, infer Answer> ? Answer : never;
};

/** The card of one kind. */
export type ItemOf<Kind extends InboxKind> = Items[Kind];
/** What a card of that kind takes for an answer. */
export type AnswerTo<Kind extends InboxKind> = Answers[Kind];

/** One decision for the user, with its evidence. */
export type InboxItem = Items[InboxKind];
/** The user's answer to any card; checked by the host against the card's kind. */
export type CardAnswer = Answers[InboxKind];

/** The row of a card. */
export const kindOfCard = (item: InboxItem): CardKind<InboxItem, CardAnswer> => cards[item.kind];

/** Cards in the order of what they hold up: all of the run, a part of it, nothing. Otherwise the oldest first, as they come. */
export const byWhatWaits = (items: readonly InboxItem[]): readonly InboxItem[] =>
  items.toSorted((one, other) => urgencyOf(one) - urgencyOf(other));

function urgencyOf(item: InboxItem): number {
  const kind = kindOfCard(item);
  if (kind.stopsRun?.(item)) return 0;
  return kind.isInert ? 2 : 1;
}

/** Whose card it is, as workers are named: `O-A-1/agent-2` is `agent-2`. Null: the run's. */
export const askerOf = (item: InboxItem): string | null =>
  kindOfCard(item).from(item)?.split("/").at(-1) ?? null;

/** An answer to any card, as a client may send it. */
export const cardAnswer: z.ZodType<CardAnswer, CardAnswer> = z.union(
  Object.values(cards).map(({ answer }) => answer),
);

/** Why an answer is not valid for a card, as far as the card tells; null if it is. */
export function answerRefusal(item: InboxItem, answer: CardAnswer): AnswerRefusal | null {
  const kind = kindOfCard(item);
  const taken = kind.answer.options.map(({ shape }) => shape.kind.value);
  if (!taken.includes(answer.kind))
    return {
      message: `"${answer.kind}" is not a valid answer to a card of kind ${item.kind}.`,
      remedy: `Answer with one of: ${taken.join(", ")}.`,
    };
  const read = kind.answer.safeParse(answer);
  if (!read.success)
    return {
      message: `Invalid answer to a card of kind ${item.kind}.`,
      remedy: z.prettifyError(read.error),
    };
  return kind.refusal?.(item, answer) ?? null;
}

const endLength = 4;

/**
 * The short name of a card in a terminal: its kind and the end of its id. It changes when the card's content
 * does, so that no answer is given to unseen content.
 */
export const cardName = (item: InboxItem): string =>
  `${kindOfCard(item).title.toLowerCase().replaceAll(" ", "-")}-${item.nonce.slice(-endLength)}`;
