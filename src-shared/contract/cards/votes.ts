import type { ValidationView } from "../views/validation.ts";
import type { CardBase } from "./card.ts";

export interface VotesCard extends CardBase {
  readonly kind: "votes";
  readonly validation: ValidationView;
}
