/** Describes a panel to the user: its judges, their evidence, and its fault tolerance. */
import type { ValidationStrategy } from "./panel.ts";
import { maySayNothing } from "./quorum.ts";

export const strategyDescriptions: Readonly<Record<ValidationStrategy, string>> = {
  dedicated_validators: "each a separate model call",
  peer_review: "agents of the run, each judging the work of others",
  historical_compare: "each a separate model call, compared with earlier runs",
};

/** What a seat looks at, in a word or two. */
export const evidenceLabel = (evidence: string): string =>
  evidence === "others" ? "work of other agents" : evidence === "result" ? "whole result" : evidence;

/** How many of all seats approve, and how many have to: more may than have to. */
export const formatApprovals = (approvals: number, seats: number, needed: number): string =>
  `${approvals} of ${seats} approve, ${needed} ${needed === 1 ? "is" : "are"} needed`;

/** Of a veto: no seat has voted, and none will. */
export const noSeatAsked = "No votes: a failed check is a veto.";

/** What a seat did, after its name: "looked at the diff". */
export const formatEvidence = (evidence: string): string =>
  evidence === "attacker" ? "tried to break it" : `looked at the ${evidenceLabel(evidence)}`;

/**
 * Its fault tolerance, as a sentence. (HOX-7.1)
 *
 * @param needed required approvals, which may be more than safety needs
 * @param tolerated seats that may be wrong or silent by their number
 */
export function formatTolerance(seats: number, needed: number, tolerated: number): string {
  if (seats < 4)
    return `${seats === 1 ? "One validator tolerates" : `${seats} validators tolerate`} no error: a single wrong vote can decide. Fault tolerance needs four.`;
  const silent = maySayNothing(seats, needed);
  if (silent >= tolerated) return `${tolerated} may be wrong or silent.`;
  return `More approvals are required than fault tolerance needs: ${tolerated} may be wrong, and ${silent === 0 ? "none" : `only ${silent}`} silent.`;
}
