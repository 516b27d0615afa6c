import type { RunEnd } from "./stage-state.ts";

/** The state of a failed run, for the next one. */
interface EndedRun {
  readonly stage: string;
  readonly goal: string;
  /** Name of the rehearsal that it was, or null. */
  readonly rehearsal: string | null;
  /** Change ids. */
  readonly onto: string | null;
  readonly integration: string | null;
  /** What ended it, where that is known. */
  readonly endedBy?: RunEnd | null;
  /** It only reviewed sessions outside Hox. */
  readonly isWatch?: boolean;
}

export interface RunAgain {
  readonly goal: string;
  /** A revset that names one change, or null for the default base. */
  readonly onto: string | null;
}

/**
 * The same goal, on what was merged already or else on the earlier run's base: a new plan looks at the
 * current files and adds only what is missing.
 * @returns null for a run that is active or reached its goal, for a rehearsal, whose script has one
 *   beginning, and for a watch (design 3, "retry … on a run")
 */
export function runAgain(run: EndedRun): RunAgain | null {
  const { stage, goal, rehearsal, onto, integration, endedBy, isWatch = false } = run;
  if (isWatch || rehearsal !== null || (stage !== "failed" && stage !== "stopped")) return null;
  // The user has just restored the state before its merge.
  const base = endedBy === "restore" ? onto : (integration ?? onto);
  return { goal, onto: base === null ? null : `change_id(${base})` };
}
