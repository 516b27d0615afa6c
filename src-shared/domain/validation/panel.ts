/** Who sits on a panel, and from which side each seat looks: different sides, so that seats do not err together. */

import type { CheckResult } from "../conversation/conversation.ts";
import type { LineRemark } from "../merge-request/line-remark.ts";
import type { Plan } from "../plan/plan.ts";
import type { StageMode } from "../workflow/workflow.ts";

/** Whom the seats are given to. (HOX-7.3) */
export const validationStrategies = ["dedicated_validators", "peer_review", "historical_compare"] as const;
export type ValidationStrategy = (typeof validationStrategies)[number];

/** What the seats look at, in order; a larger panel begins again from the start. (HOX-7.2) */
export const evidenceKinds = ["specification", "diff", "tests", "attacker", "decisions"] as const;
/** `result`: all that there is to judge by, for a seat that sits alone. `others`: what a peer did not write itself. */
export type EvidenceKind = (typeof evidenceKinds)[number] | "result" | "others";

export interface Seat {
  /** `validator-1` and so on: also the role in the system prompt. */
  readonly name: string;
  readonly evidence: EvidenceKind;
  /** Null: the one of all validators. */
  readonly model: string | null;
  /** The agent of the run in whose role it judges; null for a judge who had no part in the work. */
  readonly peer: string | null;
}

/** The seats of one validation. JSON. */
export interface Panel {
  /** The actual strategy, which differs from the requested one if a note says so. */
  readonly strategy: ValidationStrategy;
  readonly seats: readonly Seat[];
  /** Differences from the request with the reason, for the user. */
  readonly notes: readonly string[];
}

/** An agent of the run whose work is in the result. */
export interface Author {
  readonly name: string;
  readonly model: string;
  /** Lines that it added and removed. */
  readonly lines: number;
}

export interface PanelWishes {
  readonly strategy: ValidationStrategy;
  /** At least 1. */
  readonly seats: number;
  /** Distributed over the seats in order; empty: the seats have no own models. */
  readonly models: readonly string[];
  /** Whether there were binding decisions: otherwise no seat checks them. */
  readonly hasDecisions: boolean;
  readonly authors: readonly Author[];
  /** Finished runs of this repository that the result can be held against. */
  readonly earlierRuns: number;
}

/** With fewer there is nothing to fall behind: one run may have been lucky, and two may have been two kinds of work. */
export const minEarlierRuns = 3;

/**
 * Assigns the seats. Missing ones are filled with separate judges, which is reported: a panel never shrinks.
 * (HOX-7.1..7.3)
 */
export function panelFor(wishes: PanelWishes): Panel {
  switch (wishes.strategy) {
    case "dedicated_validators":
      return dedicated(wishes, []);
    case "peer_review":
      return ofPeers(wishes);
    case "historical_compare":
      return wishes.earlierRuns < minEarlierRuns
        ? dedicated(wishes, [
            `This repository has ${counted(wishes.earlierRuns, "finished run")} to compare with; ${minEarlierRuns} are needed. Validators judge without a comparison.`,
          ])
        : { ...dedicated(wishes, []), strategy: "historical_compare" };
  }
}

const dedicated = (wishes: PanelWishes, notes: readonly string[]): Panel => ({
  strategy: "dedicated_validators",
  seats: Array.from({ length: wishes.seats }, (_, index) => ownJudge(wishes, index, index, wishes.seats)),
  notes,
});

/** @param place among the seats without a peer: the sides are spread over these */
function ownJudge({ models, hasDecisions }: PanelWishes, index: number, place: number, judges: number): Seat {
  const sides = evidenceKinds.filter((kind) => kind !== "decisions" || hasDecisions);
  return {
    name: seatName(index),
    evidence: judges === 1 ? "result" : (sides[place % sides.length] ?? "specification"),
    model: models[index % models.length] ?? null,
    peer: null,
  };
}

/**
 * Each agent has one seat at most, and never judges its own work: those who wrote least come first, so that
 * most of the work has most judges.
 */
function ofPeers(wishes: PanelWishes): Panel {
  if (wishes.seats === 1)
    return dedicated(wishes, [
      "With one vote for all of the work, no agent can vote, because no agent may judge its own part. A validator votes.",
    ]);
  if (wishes.authors.length < 2)
    return dedicated(wishes, [
      wishes.authors.length === 0
        ? "It contains no agent’s work. Validators judge it."
        : "One agent wrote all of it, and no agent judges its own work. Validators judge it.",
    ]);
  const peers = [...wishes.authors]
    .sort((a, b) => a.lines - b.lines || a.name.localeCompare(b.name, "en", { numeric: true }))
    .slice(0, wishes.seats);
  const missing = wishes.seats - peers.length;
  return {
    strategy: "peer_review",
    seats: Array.from({ length: wishes.seats }, (_, index): Seat => {
      const peer = peers[index];
      return peer
        ? {
            name: seatName(index),
            evidence: "others",
            model: wishes.models[index % wishes.models.length] ?? peer.model,
            peer: peer.name,
          }
        : ownJudge(wishes, index, index - peers.length, missing);
    }),
    notes:
      missing === 0
        ? []
        : [
            `${counted(peers.length, "agent")} worked on it. Validators cast the other ${missing === 1 ? "vote" : `${missing} votes`}.`,
          ],
  };
}

const seatName = (index: number): string => `validator-${index + 1}`;

const counted = (count: number, one: string): string =>
  `${count === 0 ? "No" : count} ${one}${count === 1 ? "" : "s"}`;

/** What the user may choose when a run starts; without a choice the plan and the result decide. */
export const validatorChoices = ["one", "panel"] as const;
export type ValidatorChoice = (typeof validatorChoices)[number];

/** The plan with the user's choice about the panel, which its card may still change. */
export const withValidators = (plan: Plan, choice: ValidatorChoice | undefined): Plan =>
  choice === undefined
    ? plan
    : {
        ...plan,
        workflow: {
          ...plan.workflow,
          panel: {
            mode: choice === "panel" ? "on" : "off",
            reason: "You chose it at the start.",
            by: "user",
          },
        },
      };

/** The settings that decide who judges. */
export interface PanelRules {
  /** `workflow.panel`. */
  readonly mode: StageMode;
  /** `run.quick`. */
  readonly isQuick: boolean;
  /** `validation.validator_count`. */
  readonly count: number;
  /** `validation.consensus_threshold`. */
  readonly threshold: number | null;
}

/** When a panel judges, as three sentences at most. */
interface PanelUse {
  readonly text: string;
  /** When `validation.strategy`, `validator_count` and `consensus_threshold` have no effect; null: they always count. */
  readonly unused: string | null;
  readonly remedy: string | null;
}

/** Says when a panel judges by these settings, and when its own settings have no effect. (HOX-7.3) */
export function panelUse({ mode, isQuick, count, threshold }: PanelRules): PanelUse {
  const judges = `A panel of ${count} (${approvalsNeeded(count, threshold)} must approve)`;
  const always = 'Set workflow.panel = "on" for every run, or use `hox run --validators panel` for one run.';
  if (count === 1)
    return {
      text: "There is no panel: validation.validator_count is 1.",
      unused: "With one validator, validation.strategy and consensus_threshold have no effect.",
      remedy: "Set validation.validator_count = 4 for a panel.",
    };
  if (mode === "on") return { text: `${judges} judges every result.`, unused: null, remedy: null };
  if (isQuick && mode === "auto")
    return {
      text: "Runs are quick (run.quick): no votes on the result.",
      unused: `Without votes, ${panelKeys} have no effect.`,
      remedy: always,
    };
  return {
    text: `${judges} judges ${mode === "off" ? "a result that was rejected before" : "a large or risky result"}.`,
    unused: `One validator judges any other result. Then ${panelKeys} have no effect.`,
    remedy: always,
  };
}

const panelKeys = "validation.strategy, validator_count and consensus_threshold";

/** Describes a panel to the user: its judges, their evidence, and its fault tolerance. */
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

export interface ValidationView {
  readonly commitId: string;
  readonly attempt: number;
  readonly seats: readonly SeatView[];
  readonly quorum: number;
  readonly tolerated: number;
  readonly verdict: "open" | "approved" | "rejected" | "vetoed" | "undecided";
  readonly checks: readonly CheckResult[];
  /** Why this number of seats judges it. Absent if only checks did. */
  readonly why?: string;
  /** Who holds the seats. Absent where only checks judged it. */
  readonly strategy?: ValidationStrategy;
  /** What differs from the strategy that was asked for, and why. Absent where nothing does. */
  readonly notes?: readonly string[];
  /** The user landed it anyway: why, and when. Absent if they did not. */
  readonly overruled?: { readonly reason: string; readonly at: number };
}

/** The panel's verdict on one phase of an orchestrator's plan. */
export interface PhaseVerdict {
  readonly orchestrator: string;
  readonly number: number;
  readonly validation: ValidationView;
}

export interface SeatView {
  readonly seat: string;
  /**
   * What this seat looks at: specification, diff, tests, attacker, decisions; `result` is all of it, of a seat that sits
   * alone, and `others` what a peer did not write itself.
   */
  readonly evidence: string;
  readonly vote: "pending" | "approve" | "reject" | "abstain" | "error" | "timed-out" | "void";
  readonly reason: string;
  /** What it says of lines, which the reason says too. Absent where that is nothing. */
  readonly lines?: readonly LineRemark[];
  readonly at: number | null;
  /** True when the vote counted towards the verdict. */
  readonly counted: boolean;
  /** The model that judges. Absent where it is the one of all validators. */
  readonly model?: string;
  /** How many judges had this seat; the last one voted this. Absent: one. */
  readonly judges?: number;
  /** The agent in whose role it judges. Absent for a judge who had no part in the work. */
  readonly peer?: string;
}

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
