import type { AnyEvent } from "../any-event.ts";
import type { CheckResult } from "../conversation/conversation.ts";
import type { FailedRound, RoundVote } from "./rounds.ts";

/** What was found after one phase of an orchestrator's plan. Plain JSON. */
export interface PhaseChecks {
  /** How often it failed. */
  readonly failed: number;
  /** How often its result was edited while the user was asked. */
  readonly voided: number;
  /** The user requested the last repair, so they are asked again if it does not help. */
  readonly isAskedFor: boolean;
  /** Failures and their repairs in order; the last repair has no summary yet. */
  readonly rounds: readonly FailedRound[];
  /** Who repairs it; null where nothing failed yet. */
  readonly repairedBy: string | null;
  /** Why the user overrode the verdict, and on which change; null if they did not. */
  readonly accepted: { readonly reason: string; readonly changeId: string } | null;
}

/** By orchestrator and phase, as `phaseKey` says. */
export type PhaseChecksOfRun = Readonly<Record<string, PhaseChecks>>;

interface OfPhase {
  readonly orchestrator: string;
  readonly phase: number;
}

export type PhaseCheckEvent =
  /**
   * It failed, and the last merged agent works on it again: at the user's request, or in an automatic round.
   */
  | ({
      readonly kind: "PhaseSentBack";
      readonly checks: readonly CheckResult[];
      readonly by: "rule" | "user";
      /** Who works on it. */
      readonly worker: string;
      readonly verdict: FailedRound["verdict"];
      /** What was wrong, in a few words each. */
      readonly reasons: readonly string[];
      /** The user's instructions for the repair. */
      readonly words: string;
      /** The summary of the repair before this one. */
      readonly repaired: string;
    } & OfPhase)
  /** Its result was edited while the user was asked about it. */
  | ({ readonly kind: "PhaseVoided" } & OfPhase)
  | ({
      readonly kind: "PhaseAccepted";
      readonly reason: string;
      /** The change that the reason is for. */
      readonly changeId: string;
    } & OfPhase);

/** Under what the checks of a phase are kept. */
export const phaseKey = (orchestrator: string, phase: number): string => `${orchestrator}/${phase}`;

/** Of a phase after which nothing failed yet. */
export const noPhaseChecks: PhaseChecks = {
  ...{ failed: 0, voided: 0, isAskedFor: false, rounds: [], repairedBy: null, accepted: null },
};

/**
 * Adds an event about a phase.
 * @param votes the panel's votes on the phase
 * @returns all phases of the run; an accepted one stays so until it is sent back
 */
export function reducePhaseChecks(
  before: PhaseChecksOfRun,
  given: PhaseCheckEvent | AnyEvent,
  votes: readonly RoundVote[],
): PhaseChecksOfRun {
  const event = given as PhaseCheckEvent;
  switch (event.kind) {
    case "PhaseSentBack":
    case "PhaseVoided":
    case "PhaseAccepted": {
      const key = phaseKey(event.orchestrator, event.phase);
      return { ...before, [key]: afterEvent(before[key] ?? noPhaseChecks, event, votes) };
    }
    default:
      return before;
  }
}

function afterEvent(known: PhaseChecks, event: PhaseCheckEvent, votes: readonly RoundVote[]): PhaseChecks {
  switch (event.kind) {
    case "PhaseVoided":
      return { ...known, voided: known.voided + 1 };
    case "PhaseAccepted":
      return { ...known, accepted: { reason: event.reason, changeId: event.changeId } };
    case "PhaseSentBack": {
      const { by, worker, verdict, reasons, words, repaired } = event;
      const failed = known.failed + 1;
      const repair = { askedBy: by, words, summary: "" };
      return {
        ...known,
        failed,
        isAskedFor: known.isAskedFor || by === "user",
        rounds: [
          ...roundsWith(known, repaired),
          { attempt: failed, verdict, reasons, ...(votes.length === 0 ? {} : { votes }), repair },
        ],
        repairedBy: worker,
        accepted: null,
      };
    }
  }
}

/** The rounds of a phase. @param summary of the last repair */
export const roundsWith = ({ rounds }: PhaseChecks, summary: string): readonly FailedRound[] =>
  rounds.map((round, at) =>
    at === rounds.length - 1 ? { ...round, repair: { ...round.repair, summary } } : round,
  );

/** Adds a phase's verdict; of each phase the last one counts. */
export const withPhaseVerdict = <Verdict extends { readonly orchestrator: string; readonly number: number }>(
  before: readonly Verdict[],
  verdict: Verdict,
): readonly Verdict[] => [
  ...before.filter((one) => one.orchestrator !== verdict.orchestrator || one.number !== verdict.number),
  verdict,
];

/** Whether the user is asked about the failure, instead of the last merged agent. */
export const isUserAsked = (
  { failed, isAskedFor }: Pick<PhaseChecks, "failed" | "isAskedFor">,
  repairRounds: number,
): boolean => isAskedFor || failed >= repairRounds;
