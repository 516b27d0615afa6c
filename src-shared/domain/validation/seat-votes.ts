/** Which of the votes of one seat counts, if several judges had it. */

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
