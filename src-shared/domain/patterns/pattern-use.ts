/** Which patterns a run's workers read, and how those runs ended. */
import type { AnyEvent } from "../any-event.ts";
import { counted } from "../text/counted.ts";

/** One approved text. */
export interface ToldPattern {
  /** `<category>/<name>`. */
  readonly id: string;
  /** The version that was approved here. */
  readonly version: number;
}

/** A worker's prompts have these from now on; recorded again only when they change. */
export interface PatternsInjected {
  readonly kind: "PatternsTold";
  readonly worker: string;
  readonly patterns: readonly ToldPattern[];
}

/** By worker: all that it ever received, the last version of each. */
export type PatternsByWorker = Readonly<Record<string, readonly ToldPattern[]>>;

/** Pure. Answers with the same where nothing is new. */
export function reducePatternUse(
  state: PatternsByWorker,
  given: PatternsInjected | AnyEvent,
): PatternsByWorker {
  const event = given as PatternsInjected;
  if (event.kind !== "PatternsTold") return state;
  const before = state[event.worker] ?? [];
  const isNew = event.patterns.some(
    ({ id, version }) => !before.some((one) => one.id === id && one.version === version),
  );
  if (!isNew) return state;
  const kept = before.filter(({ id }) => !event.patterns.some((one) => one.id === id));
  return { ...state, [event.worker]: [...kept, ...event.patterns] };
}

/** How the finished runs ended in which a worker read a pattern, whatever its version. */
export interface PatternUses {
  readonly complete: number;
  readonly failed: number;
  /** By the user. */
  readonly stopped: number;
}

export const noUses: PatternUses = { complete: 0, failed: 0, stopped: 0 };

/** @returns `Used in 5 runs: 3 complete, 1 failed, 1 stopped` */
export function formatUses(uses: PatternUses): string {
  const runs = uses.complete + uses.failed + uses.stopped;
  if (runs === 0) return "Not used in a completed run yet";
  const endings = (["complete", "failed", "stopped"] as const).filter((ending) => uses[ending] > 0);
  return `Used in ${counted(runs, "run")}: ${endings.map((ending) => `${uses[ending]} ${ending}`).join(", ")}`;
}

/** Recorded runs for which a pattern's evidence holds, whether they used it or not. */
export interface FittingRuns {
  readonly runs: number;
  readonly complete: number;
}

/** @returns `other matching runs: 4, complete: 3` */
export const formatFitting = ({ runs, complete }: FittingRuns): string =>
  runs === 0 ? "no other matching run yet" : `other matching runs: ${runs}, complete: ${complete}`;
