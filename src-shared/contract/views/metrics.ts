import type { Spent } from "../../domain/spending/usage.ts";

export interface WorkerMetrics {
  readonly worker: string;
  readonly toolCalls: Readonly<Record<string, number>>;
  readonly failedCalls: number;
  readonly msByPhase: Readonly<Record<string, number>>;
  readonly conflictsMet: number;
  readonly alignRequests: number;
  readonly votes: { readonly passed: number; readonly failed: number };
  readonly spent: Spent;
}

export interface ScoreView {
  readonly quality: number;
  readonly completeness: number;
  readonly time: number;
  readonly efficiency: number;
  readonly total: number;
}
