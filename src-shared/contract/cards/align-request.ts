import type { CardBase } from "./card.ts";

export interface QuestionCard extends CardBase {
  readonly kind: "align-request";
  readonly from: string;
  readonly question: string;
  readonly options: readonly string[];
  readonly changeId: string | null;
}
