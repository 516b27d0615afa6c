import type { CheckResult, ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import type { MeasuredWorker } from "#shared/domain/metrics/measured-worker.ts";
import type { Spent } from "#shared/domain/spending/usage.ts";

import type { Measured } from "../agent/agent-interface.ts";

/**
 * Counts what each worker of one run did. Made by `createMetrics(restored?)` in `collector.ts`; `all()` is plain data
 * that the engine journals and gives back after a restart. (HOX-6.1)
 */
export interface MetricsCollector {
  /** Counts tool calls and failures from conversation entries; others are ignored. */
  entry(worker: string, entry: ConversationEntry): void;
  /** Adds time spent in a part of the loop: `saving`, `checking`, `hooks`. */
  time(worker: string, part: string, ms: number): void;
  /** Adds what one of its conversations took: `thinking`, `tools`, and `waiting` for the provider. */
  measured(worker: string, measured: Measured): void;
  /** Adds what it has worked since to what it was asked, whenever the answer is called. */
  answering(worker: string, event: string): () => void;
  /** Counts checks that ran after one of its iterations. */
  checked(worker: string, results: readonly CheckResult[]): void;
  conflictMet(worker: string): void;
  alignRequest(worker: string): void;
  /** A vote, or a review, that is about this worker's own work. */
  vote(worker: string, passed: boolean): void;
  spent(worker: string, spent: Spent): void;
  of(worker: string): MeasuredWorker;
  /** Subscribes to entries and measurements as they are reported. */
  listen(listener: Pick<MetricsCollector, "entry" | "measured">): void;
  all(): readonly MeasuredWorker[];
}
