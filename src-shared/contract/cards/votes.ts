import { shownLine } from "../../domain/text/shown-text.ts";
import type { ValidationView } from "../views/validation.ts";
import type { CardBase, CardKind } from "./card.ts";
import { type YesOrNoAnswer, yesOrNo, yesOrNoAnswer, yesOrWhyNot } from "./yes-or-no.ts";

export interface VotesCard extends CardBase {
  readonly kind: "votes";
  readonly validation: ValidationView;
}

export const votesKind: CardKind<VotesCard, YesOrNoAnswer> = {
  ...yesOrNo,
  title: "Votes",
  tone: "warning",
  gate: null,
  answer: yesOrNoAnswer,
  headline: () => "The validators do not agree",
  from: () => null,
  options: () => yesOrWhyNot("accepts the result", "sends it back to be repaired"),
  lines: (item) => [
    `The validators do not agree: ${item.validation.verdict}`,
    ...item.validation.seats.map((seat) => `  ${seat.seat} ${seat.vote}: ${shownLine(seat.reason)}`),
  ],
};
