import type { ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import { addChecks, type MeasuredWorker, notMeasured } from "#shared/domain/metrics/measured-worker.ts";
import { workedMs } from "#shared/domain/metrics/metrics-trailer.ts";
import { addSpent } from "#shared/domain/spending/usage.ts";
import type { MetricsCollector } from "./metrics-interface.ts";

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

/** Counts for the workers of one run; `restored` is what `all()` answered before a restart. (HOX-6.1) */
export function createMetrics(restored: readonly MeasuredWorker[] = []): MetricsCollector {
  const workers = new Map(restored.map((metrics) => [metrics.worker, metrics]));
  const of = (worker: string): MeasuredWorker => workers.get(worker) ?? notMeasured(worker);
  const change = (worker: string, patch: (before: MeasuredWorker) => Partial<MeasuredWorker>): void => {
    const before = of(worker);
    workers.set(worker, { ...before, ...patch(before) });
  };
  const time = (worker: string, part: string, ms: number): void =>
    change(worker, ({ msByPhase }) => ({ msByPhase: counted(msByPhase, part, milliseconds(ms)) }));
  const listeners: Pick<MetricsCollector, "entry" | "measured">[] = [];
  return {
    listen: (listener) => void listeners.push(listener),
    entry(worker, entry) {
      for (const listener of listeners) listener.entry(worker, entry);
      const before = of(worker);
      const after = withEntry(before, entry);
      if (after !== before) workers.set(worker, after);
    },
    time,
    measured(worker, measured) {
      for (const listener of listeners) listener.measured(worker, measured);
      if (measured.kind === "calls") return time(worker, "tools", measured.ms);
      time(worker, "thinking", measured.ms);
      if (milliseconds(measured.waitedMs) > 0) time(worker, "waiting", measured.waitedMs);
    },
    answering(worker, event) {
      let before = workedMs(of(worker).msByPhase);
      return () =>
        change(worker, ({ msByPhase, msByEvent }) => {
          const now = workedMs(msByPhase);
          const more = now - before;
          before = now;
          return { msByEvent: counted(msByEvent, event, milliseconds(more)) };
        });
    },
    checked(worker, results) {
      change(worker, ({ checks }) => ({ checks: addChecks(checks, results) }));
    },
    conflictMet(worker) {
      change(worker, ({ conflictsMet }) => ({ conflictsMet: conflictsMet + 1 }));
    },
    alignRequest(worker) {
      change(worker, ({ alignRequests }) => ({ alignRequests: alignRequests + 1 }));
    },
    vote(worker, passed) {
      change(worker, ({ votes }) => ({
        votes: passed ? { ...votes, passed: votes.passed + 1 } : { ...votes, failed: votes.failed + 1 },
      }));
    },
    spent(worker, spent) {
      change(worker, (before) => ({ spent: addSpent(before.spent, spent) }));
    },
    of,
    all: () => [...workers.values()],
  };
}
