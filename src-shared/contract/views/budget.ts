import type { Spent } from "../../domain/spending/usage.ts";

export interface BudgetView {
  readonly limitTokens: number | null;
  readonly limitMicroDollars: number | null;
  readonly spent: Spent;
  readonly state: "ok" | "warning" | "exhausted";
  /** Worker → spent. */
  readonly byWorker: Readonly<Record<string, Spent>>;
  /** [ms since 1970, micro-dollars so far] points for the chart, thinned out. */
  readonly history: readonly (readonly [number, number])[];
}

/** What one worker may spend and how long it may try; null is no limit. */
export interface WorkerBudgetView {
  readonly limitTokens: number | null;
  readonly limitMicroDollars: number | null;
  readonly maxIterations: number;
  /** By itself and all below it. */
  readonly spent: Spent;
  readonly state: "ok" | "warning" | "exhausted";
}
