import type { AnyEvent } from "../any-event.ts";

/** One seat's vote on a failed result. */
export interface RoundVote {
  readonly seat: string;
  /** What it looked at. */
  readonly evidence: string;
  readonly vote: SeatVote["vote"];
  readonly reason: string;
  /** How many judges sat on it in turn. Absent: one. */
  readonly judges?: number;
}

/** A verdict that failed, and what was done about it. */
export interface FailedRound {
  /** Counted from 1, as the attempt of its verdict. */
  readonly attempt: number;
  readonly verdict: "open" | "approved" | "rejected" | "vetoed" | "undecided";
  /** What was wrong: a seat's or a check's words each. */
  readonly reasons: readonly string[];
  /** Of every seat, with any vote. Absent if none was asked. */
  readonly votes?: readonly RoundVote[];
  readonly repair: {
    /** `rule`: an automatic round. */
    readonly askedBy: "rule" | "user";
    /** The user's message to the integrator. */
    readonly words: string;
    /** What the integrator says that it repaired. */
    readonly summary: string;
  };
}

type RoundEvent =
  | ({ readonly kind: "VerdictFailed" } & Omit<FailedRound, "repair">)
  | { readonly kind: "RepairWorded"; readonly words: string }
  | { readonly kind: "ResultRepaired"; readonly attempt: number; readonly summary: string };

/**
 * Adds an event to the run's failed verdicts.
 * @param votes the panel's votes of the last verdict
 * @returns the rounds in order; one that was judged again after the user's edit is listed once
 */
export function reduceRounds(
  before: readonly FailedRound[],
  given: RoundEvent | AnyEvent,
  votes: readonly RoundVote[],
): readonly FailedRound[] {
  const event = given as RoundEvent;
  switch (event.kind) {
    case "VerdictFailed": {
      const { attempt, verdict, reasons } = event;
      const round: FailedRound = {
        ...{ attempt, verdict, reasons },
        ...(votes.length === 0 ? {} : { votes }),
        repair: { askedBy: "rule", words: "", summary: "" },
      };
      return [...before.filter((one) => one.attempt !== attempt), round];
    }
    case "RepairWorded":
      return withRepair(before, before.at(-1)?.attempt, { askedBy: "user", words: event.words });
    case "ResultRepaired":
      return withRepair(before, event.attempt, { summary: event.summary });
    default:
      return before;
  }
}

/** The votes of a panel as stored in a round, without seats that were not asked. */
export const votesOfRound = (
  seats: readonly (Omit<RoundVote, "vote"> & { readonly vote: RoundVote["vote"] | "pending" })[],
): readonly RoundVote[] =>
  seats.flatMap(({ seat, evidence, vote, reason, judges }) =>
    vote === "pending" ? [] : [{ seat, evidence, vote, reason, ...(judges === undefined ? {} : { judges }) }],
  );

/** The rounds before a verdict. @param attempt of the verdict that is looked at, counted from 1 */
export const roundsBefore = (rounds: readonly FailedRound[], attempt: number): readonly FailedRound[] =>
  rounds.filter((round) => round.attempt < attempt);

const withRepair = (
  rounds: readonly FailedRound[],
  attempt: number | undefined,
  repair: Partial<FailedRound["repair"]>,
): readonly FailedRound[] =>
  rounds.some((one) => one.attempt === attempt)
    ? rounds.map((one) => (one.attempt === attempt ? { ...one, repair: { ...one.repair, ...repair } } : one))
    : rounds;

// Which of the votes of one seat counts, if several judges had it.

/** One answer of one who holds a seat. */
export interface SeatVote {
  readonly vote: "approve" | "reject" | "abstain" | "error" | "timed-out" | "void";
  /** 0 for the first holder of the seat, 1 and 2 for its replacements. */
  readonly replacement: number;
}

/** A seat without a readable vote is given to another judge this often; then the user decides. (HOX-7.1) */
export const maxReplacements = 2;

/** Whether it says neither yes nor no, so that another judge may take the seat. */
export const isLost = ({ vote }: SeatVote): boolean => vote !== "approve" && vote !== "reject";

/**
 * The vote that counts. Approval and rejection are final; after an abstention the next judge's vote counts.
 * The result does not depend on the order or number of reads, nor on later additions.
 *
 * @param cast the votes of this seat on this ballot, in any order
 */
export function countedVote<Vote extends SeatVote>(cast: readonly Vote[]): Vote | null {
  let counted: Vote | null = null;
  for (let replacement = 0; replacement <= maxReplacements; replacement++) {
    if (counted !== null && !isLost(counted)) return counted;
    const next = cast.find((vote) => vote.replacement === replacement);
    if (next === undefined) return counted;
    counted = next;
  }
  return counted;
}
