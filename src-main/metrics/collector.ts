import type { CheckResult, ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import { addChecks, type MeasuredWorker, notMeasured } from "#shared/domain/metrics/measured-worker.ts";
import { workedMs } from "#shared/domain/metrics/metrics-trailer.ts";
import type { Spent } from "#shared/domain/spending/usage.ts";
import { addSpent } from "#shared/domain/spending/usage.ts";
import type { Measured } from "../agent/agent-interface.ts";

type Counts = Readonly<Record<string, number>>;

/** Adds to the count of a name, which may be any word. */
const counted = (counts: Counts, name: string, more: number): Counts => ({
  ...counts,
  [name]: (Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0) + more,
});

const milliseconds = (ms: number): number => Math.max(0, Math.round(ms));

/** What an entry of a worker's conversation adds; the same object where it counts for nothing. */
export function withEntry(before: MeasuredWorker, entry: ConversationEntry): MeasuredWorker {
  if (entry.kind === "tool-call") return { ...before, toolCalls: counted(before.toolCalls, entry.tool, 1) };
  if (entry.kind !== "tool-result" || entry.error === null) return before;
  return {
    ...before,
    failedCalls: before.failedCalls + 1,
    failedByTool: counted(before.failedByTool, entry.tool, 1),
  };
}

interface MetricsListener {
  entry(worker: string, entry: ConversationEntry): void;
  measured(worker: string, measured: Measured): void;
}

export type MetricsCollector = ReturnType<typeof createMetrics>;

/** Counts what the workers of one run did; `restored` is what `all()` answered before a restart. (HOX-6.1) */
export function createMetrics(restored: readonly MeasuredWorker[] = []) {
  const workers = new Map(restored.map((metrics) => [metrics.worker, metrics]));
  const of = (worker: string): MeasuredWorker => workers.get(worker) ?? notMeasured(worker);
  const change = (worker: string, patch: (before: MeasuredWorker) => Partial<MeasuredWorker>): void => {
    const before = of(worker);
    workers.set(worker, { ...before, ...patch(before) });
  };
  const time = (worker: string, part: string, ms: number): void =>
    change(worker, ({ msByPhase }) => ({ msByPhase: counted(msByPhase, part, milliseconds(ms)) }));
  const listeners: MetricsListener[] = [];
  return {
    /** Subscribes to entries and measurements as they are reported. */
    listen: (listener: MetricsListener) => void listeners.push(listener),
    /** Counts tool calls and failures from conversation entries; others are ignored. */
    entry(worker: string, entry: ConversationEntry): void {
      for (const listener of listeners) listener.entry(worker, entry);
      const before = of(worker);
      const after = withEntry(before, entry);
      if (after !== before) workers.set(worker, after);
    },
    /** Adds time spent in a part of the loop: `saving`, `checking`, `hooks`. */
    time,
    /** Adds what one of its conversations took: `thinking`, `tools`, and `waiting` for the provider. */
    measured(worker: string, measured: Measured): void {
      for (const listener of listeners) listener.measured(worker, measured);
      if (measured.kind === "calls") time(worker, "tools", measured.ms);
      if (measured.kind !== "request") return;
      time(worker, "thinking", measured.ms);
      if (milliseconds(measured.waitedMs) > 0) time(worker, "waiting", measured.waitedMs);
    },
    /** Adds what it has worked since to what it was asked, whenever the answer is called. */
    answering(worker: string, event: string): () => void {
      let before = workedMs(of(worker).msByPhase);
      return () =>
        change(worker, ({ msByPhase, msByEvent }) => {
          const now = workedMs(msByPhase);
          const more = now - before;
          before = now;
          return { msByEvent: counted(msByEvent, event, milliseconds(more)) };
        });
    },
    /** Counts checks that ran after one of its iterations. */
    checked(worker: string, results: readonly CheckResult[]): void {
      change(worker, ({ checks }) => ({ checks: addChecks(checks, results) }));
    },
    conflictMet(worker: string): void {
      change(worker, ({ conflictsMet }) => ({ conflictsMet: conflictsMet + 1 }));
    },
    alignRequest(worker: string): void {
      change(worker, ({ alignRequests }) => ({ alignRequests: alignRequests + 1 }));
    },
    /** A vote, or a review, that is about this worker's own work. */
    vote(worker: string, passed: boolean): void {
      change(worker, ({ votes }) => ({
        votes: passed ? { ...votes, passed: votes.passed + 1 } : { ...votes, failed: votes.failed + 1 },
      }));
    },
    spent(worker: string, spent: Spent): void {
      change(worker, (before) => ({ spent: addSpent(before.spent, spent) }));
    },
    of,
    all: (): readonly MeasuredWorker[] => [...workers.values()],
  };
}
