import { totalTokens } from "../spending/usage.ts";
import type { MeasuredWorker } from "./measured-worker.ts";

const values = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

const sorted = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Single numbers of `Hox-Metrics`, by their names there and in `metrics(…)`. */
export const metricNames = [
  "tool_calls",
  "failures",
  "time_ms",
  "iterations",
  "conflicts",
  "align_requests",
  "votes_passed",
  "votes_failed",
  "tokens",
  "micro_dollars",
] as const;
export type MetricName = (typeof metricNames)[number];

/** The numbers of one worker, or of a run, as in the trailer. */
export const metricNumbers = (
  metrics: MeasuredWorker,
  iterations: number,
): Readonly<Record<MetricName, number>> => ({
  tool_calls: values(metrics.toolCalls),
  failures: metrics.failedCalls,
  time_ms: workedMs(metrics.msByPhase),
  iterations,
  conflicts: metrics.conflictsMet,
  align_requests: metrics.alignRequests,
  votes_passed: metrics.votes.passed,
  votes_failed: metrics.votes.failed,
  tokens: totalTokens(metrics.spent.usage),
  micro_dollars: metrics.spent.microDollars,
});

/** Conflicts for each iteration; 0 without any. */
const conflictRate = (conflicts: number, iterations: number): number =>
  iterations === 0 ? 0 : Math.round((1_000 * conflicts) / iterations) / 1_000;

/** With three places, always: `score(>0.8)` compares its digits. */
const scoreText = (total: number): string => Math.min(1, Math.max(0, total)).toFixed(3);

/**
 * The `Hox-Metrics` trailer: one line of JSON, with `tool_calls`, `failures` and `time_ms` first. The same
 * figures give the same text: keys are in a fixed order, and what `score(…)` and `metrics(…)` search for
 * comes before the first nested bracket, where a tool's name cannot be taken for it. (HOX-6.2)
 *
 * @param score null: none was given
 */
export function metricsTrailer(metrics: MeasuredWorker, iterations: number, score: number | null): string {
  const numbers = metricNumbers(metrics, iterations);
  const maps = JSON.stringify({
    conflict_rate: conflictRate(numbers.conflicts, iterations),
    tools: sorted(metrics.toolCalls),
    failed_tools: sorted(metrics.failedByTool),
    phases_ms: sorted(metrics.msByPhase),
  });
  const scored = score === null ? "" : `"score":${scoreText(score)},`;
  return `${JSON.stringify(numbers).slice(0, -1)},${scored}${maps.slice(1)}`;
}

/** What a trailer says; null for one that is nothing of the kind. Names that it lacks are null: another wrote it. */
export function readMetricsTrailer(
  text: string,
): { readonly numbers: Readonly<Record<MetricName, number | null>>; readonly score: number | null } | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const fields = new Map<string, unknown>(Object.entries(value));
  const number = (name: string): number | null => {
    const found = fields.get(name);
    return typeof found === "number" ? found : null;
  };
  return {
    numbers: {
      tool_calls: number("tool_calls"),
      failures: number("failures"),
      time_ms: number("time_ms"),
      iterations: number("iterations"),
      conflicts: number("conflicts"),
      align_requests: number("align_requests"),
      votes_passed: number("votes_passed"),
      votes_failed: number("votes_failed"),
      tokens: number("tokens"),
      micro_dollars: number("micro_dollars"),
    },
    score: number("score"),
  };
}

/** Waiting for a provider's limit or outage. It does not count as work time. */
export const waitingForProvider = "waiting";

/**
 * Milliseconds at work, of what was measured by its part.
 *
 * @param msByPhase as `MeasuredWorker` has it
 */
export const workedMs = (msByPhase: Readonly<Record<string, number>>): number =>
  Object.entries(msByPhase).reduce((sum, [part, ms]) => (part === waitingForProvider ? sum : sum + ms), 0);

/** Where figures are kept: on the changes, in the database, or in both. */
type MetricsStore = "trailer" | "database" | "both";

/** One change of a run that is over. */
export interface KeptChange {
  readonly run: string;
  /** Null: the result, with the totals. */
  readonly worker: string | null;
  readonly changeId: string;
  /** As it was configured. */
  readonly store: MetricsStore;
  /** Whether it landed with Hox's own lines left out of it. */
  readonly isLandedBare: boolean;
  /** What the database holds; null: nothing of it. */
  readonly kept: {
    readonly numbers: Readonly<Record<MetricName, number>>;
    readonly score: number | null;
  } | null;
}

/** One figure, or all of a change, that the two do not agree on. */
export interface StoreDifference {
  readonly run: string;
  readonly worker: string | null;
  readonly changeId: string;
  readonly kind: "differs" | "not-on-change" | "not-in-database" | "unreadable";
  /** Null where it is about all of them. */
  readonly figure: MetricName | "score" | null;
  readonly onChange: number | null;
  readonly inDatabase: number | null;
}

export interface StoresComparison {
  /** Changes that one of the two should know. */
  readonly changes: number;
  /** Both have it, and agree in every figure. */
  readonly same: number;
  /** One has it, and that is as the settings want it. */
  readonly asConfigured: number;
  readonly differences: readonly StoreDifference[];
}

/**
 * Compares the figures on changes with those in the database. What only one of them has is a difference if
 * both should have it: not if `[metrics] store` names one only, nor on a change that landed without metadata.
 *
 * @param changes those of runs that are over, each once
 * @param trailers the `Hox-Metrics` value, by change id
 */
export function compareStores(
  changes: readonly KeptChange[],
  trailers: ReadonlyMap<string, string>,
): StoresComparison {
  let [same, asConfigured] = [0, 0];
  const differences: StoreDifference[] = [];
  for (const change of changes) {
    const found = compareOne(change, trailers.get(change.changeId));
    if (found === "same") same += 1;
    else if (found === "as-configured") asConfigured += 1;
    else differences.push(...found);
  }
  return { changes: changes.length, same, asConfigured, differences };
}

function compareOne(
  { run, worker, changeId, store, isLandedBare, kept }: KeptChange,
  trailer: string | undefined,
): readonly StoreDifference[] | "same" | "as-configured" {
  const about = { run, worker, changeId };
  const whole = (kind: StoreDifference["kind"]): readonly StoreDifference[] => [
    { ...about, kind, figure: null, onChange: null, inDatabase: null },
  ];
  if (trailer === undefined)
    return store === "database" || (isLandedBare && store === "both") || kept === null
      ? "as-configured"
      : whole("not-on-change");
  const read = readMetricsTrailer(trailer);
  if (read === null) return whole("unreadable");
  if (kept === null) return store === "trailer" ? "as-configured" : whole("not-in-database");
  const differ = (figure: MetricName | "score", onChange: number | null, inDatabase: number | null) =>
    onChange === inDatabase ? [] : [{ ...about, kind: "differs" as const, figure, onChange, inDatabase }];
  const score = kept.score === null ? null : Number(scoreText(kept.score));
  const differences = [
    ...metricNames.flatMap((name) => differ(name, read.numbers[name], kept.numbers[name])),
    ...differ("score", read.score, score),
  ];
  return differences.length === 0 ? "same" : differences;
}
