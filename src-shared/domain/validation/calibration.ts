/**
 * How far a panel can be trusted, from commits of which it is known whether they are good. Judges of one kind err together,
 * so that four votes may be worth two: what is measured stands beside every verdict.
 */

/** What is planted into a good commit, in the order in which it is judged. */
export const plantedKinds = [
  "dropped-test",
  "swallowed-error",
  "wrong-unit",
  "removed-check",
  "off-by-one",
  "injected-instruction",
  "decision-not-followed",
] as const;
export type PlantedKind = (typeof plantedKinds)[number];

/** What a seat came to; everything but the first two is a vote that was lost. */
export type SampleVote = "approve" | "reject" | "abstain" | "error" | "timed-out" | "void";

/** One commit, as a panel judged it. */
export interface JudgedSample {
  /** What is wrong with it; null: nothing, it is a control. */
  readonly planted: PlantedKind | null;
  /** `vetoed`: a check failed, and no seat was asked. */
  readonly verdict: "approved" | "rejected" | "vetoed" | "undecided";
  /** By seat; empty where no seat was asked. */
  readonly votes: Readonly<Record<string, SampleVote>>;
}

/** So many of so many, and between which shares the true one lies with a probability of 95 %. */
export interface Rate {
  readonly count: number;
  readonly of: number;
  readonly low: number;
  readonly high: number;
}

/** How often one seat was wrong. */
interface SeatFigures {
  readonly seat: string;
  /** Bad commits that it approved, of those on which it voted. */
  readonly falseApprovals: Rate;
  /** Good commits that it rejected, of those on which it voted. */
  readonly falseRejections: Rate;
  /** Commits on which it had no vote that counts. */
  readonly lost: number;
}

/** How often a panel was wrong, and how many independent judges it is worth. */
export interface PanelFigures {
  /** Bad commits that the panel approved, of those that came before it. */
  readonly falseApprovals: Rate;
  /** Good commits that it rejected. */
  readonly falseRejections: Rate;
  /** Left to a person. */
  readonly undecided: number;
  /** Bad commits that a check stopped before any seat was asked: they say nothing about the seats. */
  readonly vetoed: number;
  readonly seats: readonly SeatFigures[];
  /** Of errors, mean of all pairs of seats; null where nobody erred, or each was wrong as always. */
  readonly correlation: number | null;
  /** Independent judges that the panel is worth; null where the correlation is not known. */
  readonly effectiveVotes: number | null;
}

/** Of the standard normal distribution, for 95 %. */
const z = 1.959964;

/**
 * A share with Wilson's interval, which stays within 0 and 1 and says something of few cases, of none found as well.
 * @param count how many of them
 * @param of how many there were; of none the share may be anything
 */
export function rateOf(count: number, of: number): Rate {
  if (of === 0) return { count, of, low: 0, high: 1 };
  const share = count / of;
  const scale = 1 + z ** 2 / of;
  const middle = share + z ** 2 / (2 * of);
  const half = z * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2));
  return {
    count,
    of,
    low: count === 0 ? 0 : Math.max(0, (middle - half) / scale),
    high: count === of ? 1 : Math.min(1, (middle + half) / scale),
  };
}

/**
 * The correlation of two rows of errors (1: wrong), place by place; null in one of them: it had no vote there, and the
 * place is left out. A judge who is always right, or always wrong, shares nothing with one who is not: 0. Of two who never
 * change nothing can be said: null.
 */
export function correlationOf(
  one: readonly (boolean | null)[],
  other: readonly (boolean | null)[],
): number | null {
  const pairs = one.flatMap((a, at) => {
    const b = other[at] ?? null;
    return a === null || b === null ? [] : [[Number(a), Number(b)] as const];
  });
  if (pairs.length < 2) return null;
  const mean = (side: 0 | 1): number => pairs.reduce((sum, pair) => sum + pair[side], 0) / pairs.length;
  const [a, b] = [mean(0), mean(1)];
  const [varianceOfOne, varianceOfOther] = [a * (1 - a), b * (1 - b)];
  if (varianceOfOne === 0 && varianceOfOther === 0) return null;
  if (varianceOfOne === 0 || varianceOfOther === 0) return 0;
  const both = pairs.reduce((sum, [left, right]) => sum + left * right, 0) / pairs.length;
  return (both - a * b) / Math.sqrt(varianceOfOne * varianceOfOther);
}

/**
 * Independent judges that n are worth whose errors go together: n / (1 + (n − 1)·r). Judges who err where the others are
 * right (r below 0) count as independent, so that it is never more than n and never less than 1.
 */
export const effectiveVotes = (seats: number, correlation: number): number =>
  seats === 0 ? 0 : seats / (1 + (seats - 1) * Math.min(1, Math.max(0, correlation)));

/** The mean over all pairs of which something can be said; null where there is none. */
export function meanCorrelation(errors: readonly (readonly (boolean | null)[])[]): number | null {
  const known = errors.flatMap((one, at) =>
    errors.slice(at + 1).flatMap((other) => {
      const correlation = correlationOf(one, other);
      return correlation === null ? [] : [correlation];
    }),
  );
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0) / known.length;
}

/** Whether a vote was wrong; null where there was none that counts. */
function isWrong({ planted, votes }: JudgedSample, seat: string): boolean | null {
  const vote = votes[seat];
  if (vote !== "approve" && vote !== "reject") return null;
  return planted === null ? vote === "reject" : vote === "approve";
}

/**
 * What came of all samples. Those that a check stopped are counted and say nothing else.
 * @param seats the panel, in its order
 */
export function figuresOf(seats: readonly string[], samples: readonly JudgedSample[]): PanelFigures {
  const judged = samples.filter(({ verdict }) => verdict !== "vetoed");
  const bad = judged.filter(({ planted }) => planted !== null);
  const good = judged.filter(({ planted }) => planted === null);
  const wrong = (of: readonly JudgedSample[], seat: string): Rate => {
    const votes = of.map((sample) => isWrong(sample, seat)).filter((vote) => vote !== null);
    return rateOf(votes.filter((vote) => vote).length, votes.length);
  };
  const correlation = meanCorrelation(seats.map((seat) => judged.map((sample) => isWrong(sample, seat))));
  return {
    falseApprovals: rateOf(bad.filter(({ verdict }) => verdict === "approved").length, bad.length),
    falseRejections: rateOf(good.filter(({ verdict }) => verdict === "rejected").length, good.length),
    undecided: judged.filter(({ verdict }) => verdict === "undecided").length,
    vetoed: samples.length - judged.length,
    seats: seats.map((seat) => ({
      seat,
      falseApprovals: wrong(bad, seat),
      falseRejections: wrong(good, seat),
      lost: judged.filter((sample) => isWrong(sample, seat) === null).length,
    })),
    correlation,
    // One judge is worth one.
    effectiveVotes:
      seats.length === 1 ? 1 : correlation === null ? null : effectiveVotes(seats.length, correlation),
  };
}
