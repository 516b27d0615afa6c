/** Who sits on a panel, and from which side each seat looks: different sides, so that seats do not err together. */
import type { Plan } from "../plan/plan.ts";
import type { StageMode } from "../workflow/workflow.ts";
import { approvalsNeeded, maySayNothing } from "./quorum.ts";

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
