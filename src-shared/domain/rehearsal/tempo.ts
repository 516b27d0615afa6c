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

/**
 * How long a rehearsal takes, as measured from its start to its landing at the usual pace, answered at once.
 * @param seconds what was measured
 */
export const rehearsalTime = (seconds: number): string =>
  `About ${seconds < 50 ? `${Math.ceil(seconds / 10) * 10} seconds` : minutesOf(seconds)} plus your decisions`;

function minutesOf(seconds: number): string {
  const halves = Math.round(seconds / 30);
  return `${Math.floor(halves / 2)}${halves % 2 === 0 ? "" : "½"} ${halves === 2 ? "minute" : "minutes"}`;
}
