/** How runs went that used a pattern, and when that speaks against it. */

/** A finished run in which a version of a pattern was told to somebody. */
export interface PatternUse {
  readonly run: string;
  readonly version: number;
  readonly isSuccess: boolean;
}

/** The last `runs` runs decide, and below `share` of them a pattern has to go. */
export interface RetirementBound {
  readonly runs: number;
  readonly share: number;
}

export interface TurnedEvidence {
  /** Runs that were looked at, and those of them that reached their goal. */
  readonly runs: number;
  readonly successes: number;
}

/**
 * Whether the last runs of a version speak against it.
 *
 * @param uses of any version, the oldest first
 * @param keptAfterRuns how many runs of this pattern there were when a person kept it against its figures: only later
 *   ones count
 */
export function turnedEvidence(
  uses: readonly PatternUse[],
  version: number,
  bound: RetirementBound,
  keptAfterRuns = 0,
): TurnedEvidence | null {
  const last = uses
    .slice(keptAfterRuns)
    .filter((use) => use.version === version)
    .slice(-bound.runs);
  if (last.length < bound.runs) return null;
  const successes = last.filter(({ isSuccess }) => isSuccess).length;
  return successes / last.length < bound.share ? { runs: last.length, successes } : null;
}
