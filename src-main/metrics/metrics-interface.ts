import type { WorkerMetrics } from "#shared/contract/views/metrics.ts";
import type { ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import type { Spent } from "#shared/domain/spending/usage.ts";

/**
 * Counts what each worker of one run did. Made by `createMetrics(restored?)` in `collector.ts`; `all()` is plain data
 * that the engine journals and gives back after a restart. (HOX-6.1)
 */
export interface MetricsCollector {
  /** Counts tool calls and failures from what the conversation tells; other entries are ignored. */
  entry(worker: string, entry: ConversationEntry): void;
  /** Adds time spent in a named part: `planning`, `contracts`, `thinking`, `tools`, `checking`, `phase 1`… */
  time(worker: string, phase: string, ms: number): void;
  conflictMet(worker: string): void;
  alignRequest(worker: string): void;
  /** A validator's vote on work that this worker had part in. */
  vote(worker: string, passed: boolean): void;
  spent(worker: string, spent: Spent): void;
  of(worker: string): WorkerMetrics;
  all(): readonly WorkerMetrics[];
}
