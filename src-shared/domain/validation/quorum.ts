type SeatId = string;
type CheckName = string;

/** Seats that may be wrong or silent without changing the outcome: f = floor((n − 1) / 3). (HOX-7.1) */
export const tolerated = (seats: number): number => Math.max(0, Math.floor((seats - 1) / 3));

/** Approvals needed so that any two quorums share an honest seat: floor((n + f) / 2) + 1. (HOX-7.1, HOX-7.3) */
export const quorum = (seats: number): number => Math.floor((seats + tolerated(seats)) / 2) + 1;

/**
 * Approvals that are asked for: a team may want more of them than safety needs, and never gets fewer. (HOX-7.3)
 * @param threshold share of the seats, above 0 and at most 1; null: as many as safety needs.
 */
export const approvalsNeeded = (seats: number, threshold: number | null): number =>
  // 0.07 * 100 is a little more than 7 in binary numbers, which would ask for one more.
  Math.max(quorum(seats), Math.min(seats, Math.ceil((threshold ?? 0) * seats - 1e-9)));

/** Seats that may stay silent, or fail, while the others can still approve. */
export const maySayNothing = (seats: number, needed: number): number => Math.max(0, seats - needed);

/** What is being judged. A vote on anything else is void. */
export interface Ballot {
  readonly run: string;
  /** Rises with every repair round, so that an old vote cannot speak about new work. */
  readonly attempt: number;
  readonly commitId: string;
}

/** One seat's vote, or that it has no readable one. Only `approve` is an approval. */
export interface Vote extends Ballot {
  readonly seat: SeatId;
  readonly answer: "approve" | "reject" | "abstain" | "error" | "timed-out";
  readonly reason: string;
}

/** A deterministic check that failed on exactly this commit: no majority outvotes it. */
export interface Veto extends Ballot {
  readonly check: CheckName;
  readonly reason: string;
}

export type Verdict =
  | { readonly kind: "open"; readonly missing: number }
  | { readonly kind: "approved"; readonly by: readonly SeatId[] }
  | { readonly kind: "rejected"; readonly by: readonly SeatId[]; readonly reasons: readonly string[] }
  | { readonly kind: "vetoed"; readonly check: CheckName; readonly reason: string }
  /** Every seat has answered and neither side can win: replace a seat, or ask the user. */
  | { readonly kind: "undecided"; readonly by: readonly SeatId[] };

const isAbout = (ballot: Ballot, paper: Ballot): boolean =>
  paper.run === ballot.run && paper.attempt === ballot.attempt && paper.commitId === ballot.commitId;

/**
 * The votes that count: on this run, attempt and commit, from a seat of this panel, the first one of each seat.
 * (HOX-7.1)
 */
function countedVotes(ballot: Ballot, seats: readonly SeatId[], votes: readonly Vote[]): readonly Vote[] {
  const first = new Map<SeatId, Vote>();
  for (const vote of votes) {
    if (isAbout(ballot, vote) && seats.includes(vote.seat) && !first.has(vote.seat))
      first.set(vote.seat, vote);
  }
  return [...first.values()];
}

/**
 * The panel's decision so far. Silence, errors and abstentions are never approvals, and the number of seats
 * never shrinks because of them. (HOX-7.1, HOX-7.2, HOX-7.3)
 * @param ballot what is being judged.
 * @param seats the panel; a seat that is listed twice counts once.
 * @param votes in the order of their arrival.
 * @param vetoes failed checks; those about another commit are void, like votes.
 * @param threshold share of the seats that has to approve, if it is more than safety needs.
 */
export function verdict(
  ballot: Ballot,
  seats: readonly SeatId[],
  votes: readonly Vote[],
  vetoes: readonly Veto[],
  threshold: number | null = null,
): Verdict {
  const veto = vetoes.find((candidate) => isAbout(ballot, candidate));
  if (veto) return { kind: "vetoed", check: veto.check, reason: veto.reason };

  const panel = [...new Set(seats)];
  const needed = approvalsNeeded(panel.length, threshold);
  const counted = countedVotes(ballot, panel, votes);
  const approvals = counted.filter((vote) => vote.answer === "approve");
  const rejections = counted.filter((vote) => vote.answer === "reject");
  if (approvals.length >= needed) return { kind: "approved", by: approvals.map((vote) => vote.seat) };
  if (rejections.length > Math.max(0, panel.length - needed)) {
    return {
      kind: "rejected",
      by: rejections.map((vote) => vote.seat),
      reasons: rejections.map((vote) => vote.reason),
    };
  }
  if (panel.length > 0 && counted.length === panel.length) {
    return { kind: "undecided", by: counted.map((vote) => vote.seat) };
  }
  return { kind: "open", missing: needed - approvals.length };
}
