import type { Spent } from "../../domain/usage.ts";
import type { CardBase } from "./card.ts";

export interface BudgetCard extends CardBase {
  readonly kind: "budget";
  /** Whose budget it is, with everyone below it; null: the run's. */
  readonly worker: string | null;
  readonly spent: Spent;
  readonly limitTokens: number | null;
  readonly limitMicroDollars: number | null;
}
