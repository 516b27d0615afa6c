/** How fast a scripted model answers in a rehearsal. `held`: paused until the user releases it. */
export const tempos = ["held", "slow", "usual", "fast"] as const;
export type Tempo = (typeof tempos)[number];

const factors: Readonly<Record<Exclude<Tempo, "held">, number>> = { slow: 3, usual: 1, fast: 0 };

/**
 * Milliseconds per ~20 characters of an answer. @param defaultPace the same at the usual tempo, which also
 * applies to pending answers while held
 */
export const paceAt = (tempo: Tempo, defaultPace: number): number =>
  defaultPace * (tempo === "held" ? 1 : factors[tempo]);
