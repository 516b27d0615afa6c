/**
 * What a run will cost and how long it will be at work, from what earlier runs of the repository took. Medians with their
 * quartiles, by model and kind of work; where nothing was measured, nothing is said. (docs/a-run.md, "What it will cost")
 */
import { spreadOf } from "../report/spread.ts";
import type { WorkKind } from "./work-kind.ts";

/** Half of all that was measured lies between `low` and `high`; of one figure all three are the same. */
export interface Range {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
}

/** What somebody took for their part of a run that is over. */
export interface PastPart {
  readonly kind: WorkKind;
  readonly model: string;
  /** Of a task; 0 for what stands beside the phases. */
  readonly phase: number;
  readonly microDollars: number;
  /** At work: without pauses, people and the provider's limits. */
  readonly milliseconds: number;
}

export interface PastRun {
  readonly run: string;
  readonly isQuick: boolean;
  readonly parts: readonly PastPart[];
}

export interface Estimate {
  readonly microDollars: Range;
  readonly milliseconds: Range;
  /** Earlier runs that it is taken from, at least 1. */
  readonly runs: number;
  /** What these have in common with what is to come. */
  readonly basis: "same" | "other-model" | "other-kind";
}

/** A part of a run that is to come, or that has begun. */
export interface ComingPart {
  readonly id: string;
  readonly kind: WorkKind;
  readonly model: string;
  /** Parts of one phase run at once, as far as there is room. */
  readonly phase: number;
  readonly isDone: boolean;
  readonly microDollars: number;
  readonly milliseconds: number;
}

const taskKinds: ReadonlySet<WorkKind> = new Set(["code", "tests", "prose"]);

/** Whether it is an agent's task. */
export const isTask = (kind: WorkKind): boolean => taskKinds.has(kind);

interface Found {
  readonly parts: readonly (PastPart & { readonly run: string })[];
  readonly basis: Estimate["basis"];
}

/** What comes nearest: the same model and kind, else the kind, else for a task any other one. */
function nearest(past: readonly PastRun[], kind: WorkKind, model: string): Found | null {
  const all = past.flatMap(({ run, parts }) => parts.map((part) => ({ ...part, run })));
  const ofKind = all.filter((part) => part.kind === kind);
  const same = ofKind.filter((part) => part.model === model);
  if (same.length > 0) return { parts: same, basis: "same" };
  if (ofKind.length > 0) return { parts: ofKind, basis: "other-model" };
  const tasks = isTask(kind) ? all.filter((part) => isTask(part.kind)) : [];
  return tasks.length > 0 ? { parts: tasks, basis: "other-kind" } : null;
}

/** Quartiles; one figure is all three. @param figures at least one */
export function rangeOf(figures: readonly number[]): Range {
  const spread = spreadOf(figures);
  const [only = 0] = figures;
  return spread === null
    ? { low: only, middle: only, high: only }
    : { low: spread.lower, middle: spread.median, high: spread.upper };
}

/** So much of what was spent already is expected to follow where nothing ever took as long. */
const overtime = 0.2;

/**
 * What is still to come of a part of which so much is spent: of those that took more, how much more they took.
 *
 * @param figures what such parts took
 * @param spent so far
 */
export function remaining(figures: readonly number[], spent: number): Range {
  const longer = figures.filter((figure) => figure > spent).map((figure) => figure - spent);
  return longer.length > 0 ? rangeOf(longer) : { low: 0, middle: overtime * spent, high: spent };
}

const nothing: Range = { low: 0, middle: 0, high: 0 };
const add = (one: Range, other: Range): Range => ({
  low: one.low + other.low,
  middle: one.middle + other.middle,
  high: one.high + other.high,
});

/**
 * What is left of one part.
 * @returns null where no earlier run did anything like it
 */
export function partLeft(part: ComingPart, past: readonly PastRun[]): Estimate | null {
  const found = nearest(past, part.kind, part.model);
  if (found === null) return null;
  const left = (figures: readonly number[], spent: number): Range =>
    part.isDone ? nothing : remaining(figures, spent);
  return {
    microDollars: left(
      found.parts.map(({ microDollars }) => microDollars),
      part.microDollars,
    ),
    milliseconds: left(
      found.parts.map(({ milliseconds }) => milliseconds),
      part.milliseconds,
    ),
    runs: new Set(found.parts.map(({ run }) => run)).size,
    basis: found.basis,
  };
}

interface Timed {
  readonly kind: WorkKind;
  readonly phase: number;
}

/** Milliseconds from the first to the last: phases one after the other, in each as many at once as there is room for. */
export function timeAtWork(
  parts: readonly (Timed & { readonly milliseconds: number })[],
  atOnce: number,
): number {
  const inTurn = (kind: WorkKind): number =>
    parts.reduce((sum, part) => (part.kind === kind ? sum + part.milliseconds : sum), 0);
  const sideBySide = (some: readonly { readonly milliseconds: number }[]): number =>
    Math.max(
      0,
      ...some.map(({ milliseconds }) => milliseconds),
      some.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / Math.max(1, atOnce),
    );
  const phases = Map.groupBy(
    parts.filter(({ kind }) => isTask(kind)),
    ({ phase }) => phase,
  );
  return (
    inTurn("orchestration") +
    [...phases.values()].reduce((sum, tasks) => sum + sideBySide(tasks), 0) +
    inTurn("integration") +
    // Who votes votes at once; what is beside takes nobody's time.
    Math.max(0, ...parts.filter(({ kind }) => kind === "votes").map(({ milliseconds }) => milliseconds))
  );
}

export interface RunForecast {
  readonly left: Estimate;
  /** Parts that no earlier run did anything like: what they take comes on top. */
  readonly unknown: number;
}

const worst: Readonly<Record<Estimate["basis"], number>> = { same: 0, "other-model": 1, "other-kind": 2 };

/**
 * What is left of a run.
 *
 * @param atOnce agents that work at the same time
 * @returns null where no part of it was ever measured
 */
export function forecastLeft(
  parts: readonly ComingPart[],
  past: readonly PastRun[],
  atOnce: number,
): RunForecast | null {
  const known = parts.flatMap((part) => {
    const estimate = partLeft(part, past);
    return estimate === null ? [] : [{ part, estimate }];
  });
  if (known.length === 0) return null;
  const time = (pick: (range: Range) => number): number =>
    timeAtWork(
      known.map(({ part: { kind, phase }, estimate }) => ({
        kind,
        phase,
        milliseconds: pick(estimate.milliseconds),
      })),
      atOnce,
    );
  const open = known.filter(({ part }) => !part.isDone);
  const counted = open.length > 0 ? open : known;
  return {
    left: {
      microDollars: known.reduce((sum, { estimate }) => add(sum, estimate.microDollars), nothing),
      milliseconds: {
        low: time(({ low }) => low),
        middle: time(({ middle }) => middle),
        high: time(({ high }) => high),
      },
      runs: Math.min(...counted.map(({ estimate }) => estimate.runs)),
      basis: counted
        .map(({ estimate }) => estimate.basis)
        .reduce((one, other) => (worst[other] > worst[one] ? other : one), "same"),
    },
    unknown: parts.length - known.length,
  };
}

/** What is asked about before there is a plan. */
export interface WantedRun {
  readonly isQuick: boolean;
  /** Of its agents. */
  readonly model: string;
  /** Of each task. */
  readonly attempts: number;
  readonly atOnce: number;
  /** Models of the validators, where their number is known; left out: as many as such runs had. */
  readonly seats?: readonly string[];
}

/**
 * What the votes on one result will take.
 * @param models of the validators, one each
 * @returns null where no vote was measured yet
 */
export function forecastVotes(models: readonly string[], past: readonly PastRun[]): Estimate | null {
  const parts = models.map((model, index) => ({
    ...{ id: `${index}`, kind: "votes" as const, model, phase: 0 },
    ...{ isDone: false, microDollars: 0, milliseconds: 0 },
  }));
  return forecastLeft(parts, past, 1)?.left ?? null;
}

/**
 * What a run will take of which only the goal is known: what such runs took as a whole, or for a quick one where there was
 * none yet what one task took.
 */
export function forecastRun(wanted: WantedRun, past: readonly PastRun[]): Estimate | null {
  const votes = wanted.seats === undefined ? null : forecastVotes(wanted.seats, past);
  if (votes === null) return forecastWhole(wanted, past);
  const work = forecastWhole(
    wanted,
    past.map((run) => ({ ...run, parts: run.parts.filter(({ kind }) => kind !== "votes") })),
  );
  return (
    work && {
      ...work,
      microDollars: add(work.microDollars, votes.microDollars),
      milliseconds: add(work.milliseconds, votes.milliseconds),
    }
  );
}

function forecastWhole(wanted: WantedRun, past: readonly PastRun[]): Estimate | null {
  const alike = past.filter(({ isQuick, parts }) => isQuick === wanted.isQuick && parts.length > 0);
  const agentsOf = ({ parts }: PastRun): readonly PastPart[] => parts.filter(({ kind }) => isTask(kind));
  const same = alike.filter((run) => agentsOf(run).some(({ model }) => model === wanted.model));
  const runs = same.length > 0 ? same : alike;
  if (runs.length === 0) return wanted.isQuick ? oneTask(wanted, past) : null;
  const times = ({ kind }: PastPart): number => (isTask(kind) ? wanted.attempts : 1);
  return {
    microDollars: rangeOf(
      runs.map(({ parts }) => parts.reduce((sum, part) => sum + times(part) * part.microDollars, 0)),
    ),
    milliseconds: rangeOf(
      runs.map(({ parts }) =>
        timeAtWork(
          parts.flatMap((part) => Array.from({ length: times(part) }, () => part)),
          wanted.atOnce,
        ),
      ),
    ),
    runs: runs.length,
    basis: same.length > 0 ? "same" : "other-model",
  };
}

function oneTask({ model, attempts, atOnce }: WantedRun, past: readonly PastRun[]): Estimate | null {
  const parts = Array.from({ length: attempts }, (_, index) => ({
    id: `${index}`,
    kind: "code" as const,
    model,
    phase: 1,
    isDone: false,
    microDollars: 0,
    milliseconds: 0,
  }));
  return forecastLeft(parts, past, atOnce)?.left ?? null;
}
