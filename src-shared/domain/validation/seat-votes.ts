/** Which of the votes that were cast on one seat stands: a seat speaks once, whoever holds it. */

/** One answer of one who holds a seat. */
export interface SeatVote {
  readonly vote: "approve" | "reject" | "abstain" | "error" | "timed-out" | "void";
  /** 0 for the first holder of the seat, 1 and 2 for its replacements. */
  readonly replacement: number;
}

/** A seat without a readable vote is given to another judge this often; then a person decides. (HOX-7.1) */
export const maxReplacements = 2;

/** Whether it says neither yes nor no, so that another judge may take the seat. */
export const isLost = ({ vote }: SeatVote): boolean => vote !== "approve" && vote !== "reject";

/**
 * The vote that stands. A yes or a no is the seat's last word, and a holder who said nothing that counts gives way to the
 * next one only; so it is the same in whatever order the votes are read, however often, and whatever was added to them.
 *
 * @param cast what was cast on this seat about this ballot, in any order
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
