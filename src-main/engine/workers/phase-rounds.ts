/** What was found after a phase and repaired, round by round. */
import type { FailedRound } from "#shared/domain/validation/failed-rounds.ts";
import {
  noPhaseChecks,
  type PhaseChecks,
  phaseKey,
  roundsWith,
} from "#shared/domain/validation/phase-checks.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { RunReader } from "../ports.ts";
import { integratorOf } from "./hierarchy.ts";

export interface Phase {
  readonly orchestrator: string;
  readonly phase: number;
}

export const checksOfPhase = (run: RunReader, { orchestrator, phase }: Phase): PhaseChecks =>
  run.facts.phaseChecks[phaseKey(orchestrator, phase)] ?? noPhaseChecks;

/** The summary by the last repairing agent; in a part, by its integrator. */
export function repairSummary(run: RunReader, of: Phase): string {
  const worker = run.workers.get(checksOfPhase(run, of).repairedBy ?? "")?.record;
  if (!worker) return "";
  return roles[worker.role].isLead
    ? (run.workers.get(integratorOf(worker.name))?.record.summary ?? "")
    : worker.summary;
}

/** Each failed verdict on it, with the summary of its repair. */
export const roundsOfPhase = (run: RunReader, of: Phase): readonly FailedRound[] =>
  roundsWith(checksOfPhase(run, of), repairSummary(run, of));
