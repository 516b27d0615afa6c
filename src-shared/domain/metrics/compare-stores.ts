/** Whether the two places that keep figures say the same. (HOX-6.2) */

import { type MetricName, metricNames, readMetricsTrailer, scoreText } from "./metrics-trailer.ts";

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
