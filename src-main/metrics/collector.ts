import type { WorkerMetrics } from "#shared/contract/views/metrics.ts";
import { addSpent, nothingSpent, totalTokens } from "#shared/domain/spending/usage.ts";
import type { MetricsCollector } from "./metrics-interface.ts";

const blank = (worker: string): WorkerMetrics => ({
  worker,
  toolCalls: {},
  failedCalls: 0,
  msByPhase: {},
  conflictsMet: 0,
  alignRequests: 0,
  votes: { passed: 0, failed: 0 },
  spent: nothingSpent,
});

/** Counts for the workers of one run; `restored` is what `all()` answered before a restart. (HOX-6.1) */
export function createMetrics(restored: readonly WorkerMetrics[] = []): MetricsCollector {
  const workers = new Map(restored.map((metrics) => [metrics.worker, metrics]));
  const of = (worker: string): WorkerMetrics => workers.get(worker) ?? blank(worker);
  const change = (worker: string, patch: (before: WorkerMetrics) => Partial<WorkerMetrics>): void => {
    const before = of(worker);
    workers.set(worker, { ...before, ...patch(before) });
  };
  return {
    entry(worker, entry) {
      if (entry.kind === "tool-call") {
        change(worker, ({ toolCalls }) => ({
          toolCalls: {
            ...toolCalls,
            [entry.tool]: (Object.hasOwn(toolCalls, entry.tool) ? (toolCalls[entry.tool] ?? 0) : 0) + 1,
          },
        }));
      } else if (entry.kind === "tool-result" && entry.error !== null) {
        change(worker, ({ failedCalls }) => ({ failedCalls: failedCalls + 1 }));
      }
    },
    time(worker, phase, ms) {
      change(worker, ({ msByPhase }) => ({
        msByPhase: {
          ...msByPhase,
          [phase]:
            (Object.hasOwn(msByPhase, phase) ? (msByPhase[phase] ?? 0) : 0) + Math.max(0, Math.round(ms)),
        },
      }));
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

/** All workers' metrics as one: what stands on the final change. */
export function sumMetrics(all: readonly WorkerMetrics[], name: string): WorkerMetrics {
  const sum = (maps: readonly Readonly<Record<string, number>>[]): Record<string, number> => {
    const total = new Map<string, number>();
    for (const map of maps)
      for (const [key, value] of Object.entries(map)) total.set(key, (total.get(key) ?? 0) + value);
    return Object.fromEntries(total);
  };
  const add = (pick: (one: WorkerMetrics) => number): number =>
    all.reduce((total, one) => total + pick(one), 0);
  return {
    worker: name,
    toolCalls: sum(all.map((one) => one.toolCalls)),
    failedCalls: add((one) => one.failedCalls),
    msByPhase: sum(all.map((one) => one.msByPhase)),
    conflictsMet: add((one) => one.conflictsMet),
    alignRequests: add((one) => one.alignRequests),
    votes: { passed: add((one) => one.votes.passed), failed: add((one) => one.votes.failed) },
    spent: all.reduce((total, one) => addSpent(total, one.spent), nothingSpent),
  };
}

/**
 * The `Hox-Metrics` trailer: one line of JSON, `tool_calls`, `failures` and `time_ms` first as the documents have it.
 * Sorted keys, so the same figures give the same text. (HOX-6.2)
 */
export function metricsTrailer(metrics: WorkerMetrics, more: Readonly<Record<string, number>> = {}): string {
  const values = (map: Readonly<Record<string, number>>): number =>
    Object.values(map).reduce((a, b) => a + b, 0);
  const sorted = (map: Readonly<Record<string, number>>): Record<string, number> =>
    Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify({
    tool_calls: values(metrics.toolCalls),
    failures: metrics.failedCalls,
    time_ms: values(metrics.msByPhase),
    tools: sorted(metrics.toolCalls),
    phases_ms: sorted(metrics.msByPhase),
    conflicts: metrics.conflictsMet,
    align_requests: metrics.alignRequests,
    votes_passed: metrics.votes.passed,
    votes_failed: metrics.votes.failed,
    tokens: totalTokens(metrics.spent.usage),
    micro_dollars: metrics.spent.microDollars,
    ...sorted(more),
  });
}
