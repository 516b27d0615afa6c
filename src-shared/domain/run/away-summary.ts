/** The summary for a user who returns to a run after a while. (design 3) */

import { formatDollars } from "../spending/prices.ts";
import { shortened } from "../text/format-text.ts";
import type { RunEnd } from "./stage-state.ts";

export interface LeftRun {
  readonly goal: string;
  /** It is active; otherwise it is paused by the user or waits. */
  readonly goesOn: boolean;
  /** Micro-dollars. */
  readonly spent: number;
  readonly limit: number | null;
  /** Cards that wait for the user. */
  readonly waiting: number;
  /** Agents whose task the user has taken over. */
  readonly inHands: readonly string[];
}

/** No summary for a run that was left a moment ago. */
export const notifyAfterMs = 10 * 60_000;

/**
 * One sentence on a run that was left, and how to change what it does; null when it was left less than `notifyAfterMs`
 * ago.
 *
 * @param awayMs time since anything happened in it
 */
export function awaySummary(run: LeftRun, awayMs: number): { text: string; remedy: string } | null {
  if (awayMs < notifyAfterMs) return null;
  const goal = shortened(run.goal, 80);
  const parts = [
    `“${goal}” was interrupted ${span(awayMs)} ago and ${run.goesOn ? "resumes where it stopped" : "is paused"}`,
    `${formatDollars(run.spent)}${run.limit === null ? "" : ` of ${formatDollars(run.limit)}`} spent`,
    ...(run.waiting === 0
      ? []
      : [`${run.waiting} ${run.waiting === 1 ? "card is" : "cards are"} waiting for you`]),
    ...(run.inHands.length === 0 ? [] : [`the task of ${run.inHands.join(", ")} is assigned to you`]),
  ];
  return {
    text: `${parts.join("; ")}.`,
    remedy: run.goesOn ? "Pause it if it should not resume." : "Resume it when you are ready.",
  };
}

/** The largest unit that fits, rounded down. */
function span(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  const [count, unit] =
    minutes < 60
      ? [minutes, "minute"]
      : minutes < 1_440
        ? [Math.floor(minutes / 60), "hour"]
        : [Math.floor(minutes / 1_440), "day"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

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
