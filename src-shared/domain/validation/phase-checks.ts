import type { CheckResult } from "../conversation/conversation.ts";

/** What the checks came to after one phase of an orchestrator's plan. Plain JSON. */
export interface PhaseChecks {
  /** How often they failed. */
  readonly failed: number;
  /** A person asked for the last repair, so they are asked again when it does not help. */
  readonly isAskedFor: boolean;
  /** Why a person goes on all the same; null where nobody said so. */
  readonly accepted: string | null;
}

/** By orchestrator and phase, as `phaseKey` says. */
export type PhaseChecksOfRun = Readonly<Record<string, PhaseChecks>>;

interface OfPhase {
  readonly orchestrator: string;
  readonly phase: number;
}

export type PhaseCheckEvent =
  /** They failed, and whoever was merged last works on it again: as a person asked, or by one of the rounds. */
  | ({
      readonly kind: "PhaseSentBack";
      readonly checks: readonly CheckResult[];
      readonly by: "rule" | "person";
    } & OfPhase)
  | ({ readonly kind: "PhaseAccepted"; readonly reason: string } & OfPhase);

/** Under what the checks of a phase are kept. */
export const phaseKey = (orchestrator: string, phase: number): string => `${orchestrator}/${phase}`;

/** Of a phase after which nothing failed yet. */
export const noPhaseChecks: PhaseChecks = { failed: 0, isAskedFor: false, accepted: null };

/**
 * Adds what happened after a phase.
 * @returns all phases of the run; one that was accepted stays so until it is sent back
 */
export function reducePhaseChecks(before: PhaseChecksOfRun, event: PhaseCheckEvent): PhaseChecksOfRun {
  const key = phaseKey(event.orchestrator, event.phase);
  const known = before[key] ?? noPhaseChecks;
  return {
    ...before,
    [key]:
      event.kind === "PhaseAccepted"
        ? { ...known, accepted: event.reason }
        : {
            failed: known.failed + 1,
            isAskedFor: known.isAskedFor || event.by === "person",
            accepted: null,
          },
  };
}

/** Whether a person is asked about checks that failed, and not whoever was merged last. */
export const isPersonAsked = ({ failed, isAskedFor }: PhaseChecks, repairRounds: number): boolean =>
  isAskedFor || failed >= repairRounds;
