import type { RunEnd } from "./stage-state.ts";

/** What a run that came to nothing leaves to the next one. */
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
  /** A revset that names one change, or null for what a run builds on by itself. */
  readonly onto: string | null;
}

/**
 * The same goal, on what was brought together already, or else on what the run before stood on: a fresh plan looks at
 * the files as they are and asks only for what is missing.
 * @returns null for a run that goes on or reached its goal, for a rehearsal, whose script has one beginning, and for a watch
 *   (design 3, "retry … on a run")
 */
export function runAgain(run: EndedRun): RunAgain | null {
  const { stage, goal, rehearsal, onto, integration, endedBy, isWatch = false } = run;
  if (isWatch || rehearsal !== null || (stage !== "failed" && stage !== "stopped")) return null;
  // What it had brought together a person has just taken back.
  const base = endedBy === "restore" ? onto : (integration ?? onto);
  return { goal, onto: base === null ? null : `change_id(${base})` };
}
