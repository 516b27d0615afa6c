/** What a finished run, or one agent's part of it, is judged by. Counts are whole numbers, 0 or more. */
export interface ScoreFacts {
  /** Counted votes of validators, and reviews of what an agent offered. */
  readonly approvals: number;
  readonly rejections: number;
  /** Results of deterministic checks on the final commit. */
  readonly checksPassed: number;
  readonly checksFailed: number;
  readonly tasksPlanned: number;
  readonly tasksDone: number;
  /** Done tasks of which work is missing from the result. */
  readonly tasksMissing: number;
  /** Work time, in milliseconds, without waiting for the user or the provider. */
  readonly milliseconds: number;
  /** What such work takes: the median of earlier runs. Null without any. */
  readonly expectedMilliseconds: number | null;
  readonly toolCalls: number;
  readonly failedCalls: number;
  readonly microDollars: number;
  /** What such work costs: the median of earlier runs. Null without any. */
  readonly expectedMicroDollars: number | null;
  /** Complete runs of this repository that the expectation is the median of. */
  readonly earlierRuns: number;
}

/** Each part from 0 to 1; `total` is the weighted mean of those that there are. */
export interface Score {
  readonly quality: number;
  readonly completeness: number;
  /** Null without an expectation. */
  readonly time: number | null;
  readonly efficiency: number;
  readonly total: number;
  /** What the parts were made of. */
  readonly facts: ScoreFacts;
}

/** The weights of the four parts. (HOX-6.3) */
export const weights = { quality: 0.35, completeness: 0.3, time: 0.2, efficiency: 0.15 } as const;
export type ScorePart = keyof typeof weights;
export const scoreParts: readonly ScorePart[] = ["quality", "completeness", "time", "efficiency"];

const share = (part: number, whole: number, without: number): number => (whole > 0 ? part / whole : without);

/** 1 up to what is expected, then in inverse proportion: twice as much gives a half. */
const against = (actual: number, expected: number): number => (actual <= expected ? 1 : expected / actual);

/**
 * The score of finished work. (HOX-6.3)
 * - quality: half the share of approvals among the votes for or against, half the share of checks that
 *   passed. Without votes only the checks count, without checks only the votes; without both it is 0.
 * - completeness: tasks done of tasks planned; 0 when nothing was planned. A task whose work is missing from
 *   the result is not done.
 * - time: 1 up to the expected time, then expected ÷ actual. Left out without an expectation: the weights of
 *   the other three are then scaled to sum to 1.
 * - efficiency: share of tool calls that worked, times 1 up to the expected cost, then expected ÷ actual.
 *   Without an expectation only the calls count.
 */
export function score(facts: ScoreFacts): Score {
  const votes = facts.approvals + facts.rejections;
  const checks = facts.checksPassed + facts.checksFailed;
  const judged = [
    ...(votes > 0 ? [facts.approvals / votes] : []),
    ...(checks > 0 ? [facts.checksPassed / checks] : []),
  ];
  const quality = share(
    judged.reduce((sum, part) => sum + part, 0),
    judged.length,
    0,
  );
  const whole = Math.max(0, facts.tasksDone - facts.tasksMissing);
  const completeness = Math.min(1, share(whole, facts.tasksPlanned, 0));
  const { expectedMilliseconds, expectedMicroDollars } = facts;
  const time = expectedMilliseconds === null ? null : against(facts.milliseconds, expectedMilliseconds);
  const worked = Math.max(0, share(facts.toolCalls - facts.failedCalls, facts.toolCalls, 1));
  const efficiency =
    worked * (expectedMicroDollars === null ? 1 : against(facts.microDollars, expectedMicroDollars));
  const parts = { quality, completeness, time, efficiency };
  const used = usedWeights(parts);
  const total = scoreParts.reduce((sum, part) => sum + used[part] * (parts[part] ?? 0), 0);
  return { ...parts, total, facts };
}

/** What each part weighs where one is left out: 0 for that, and the others in their proportion. */
export function usedWeights(parts: Pick<Score, ScorePart>): Readonly<Record<ScorePart, number>> {
  const whole = scoreParts.reduce((sum, part) => sum + (parts[part] === null ? 0 : weights[part]), 0);
  const used = (part: ScorePart): number => (parts[part] === null ? 0 : weights[part] / whole);
  return {
    quality: used("quality"),
    completeness: used("completeness"),
    time: used("time"),
    efficiency: used("efficiency"),
  };
}

/** A part of a score as it is shown. */
export interface ScoreLine {
  readonly part: ScorePart;
  /** Null: left out. */
  readonly value: number | null;
  /** Of the total, 0 to 1. */
  readonly weight: number;
  /** What it was made of, and where an expectation comes from, in words. */
  readonly words: string;
}

/** The parts of a score, in their order, each with what it was made of. */
export function scoreLines(of: Score): readonly ScoreLine[] {
  const used = usedWeights(of);
  return scoreParts.map((part) => ({
    part,
    value: of[part],
    weight: used[part],
    words: scorePartText[part](of.facts),
  }));
}

const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`;

const scorePartText: Readonly<Record<ScorePart, (facts: ScoreFacts) => string>> = {
  quality({ approvals, rejections, checksPassed, checksFailed }) {
    const votes = approvals + rejections;
    const checks = checksPassed + checksFailed;
    if (votes + checks === 0) return "no votes and no checks";
    return [
      ...(votes > 0 ? [`${approvals} of ${count(votes, "vote")} for it`] : ["no vote"]),
      ...(checks > 0 ? [`${checksPassed} of ${count(checks, "check")} passed`] : ["no check"]),
    ].join(", ");
  },
  completeness: ({ tasksDone, tasksMissing, tasksPlanned }) =>
    `${tasksDone} of ${count(tasksPlanned, "task")} done${tasksMissing === 0 ? "" : `, but work of ${tasksMissing} is missing from the result`}`,
  time: ({ milliseconds, expectedMilliseconds, earlierRuns }) =>
    expectedMilliseconds === null
      ? `${secondsText(milliseconds)}, not counted: no earlier complete run to compare with`
      : `${secondsText(milliseconds)}, expected ${secondsText(expectedMilliseconds)} (${medianOf(earlierRuns)})`,
  efficiency({ toolCalls, failedCalls, microDollars, expectedMicroDollars, earlierRuns }) {
    const calls = `${failedCalls} of ${count(toolCalls, "call")} failed`;
    return expectedMicroDollars === null
      ? `${calls}; ${dollarText(microDollars)}, not counted: no earlier complete run to compare with`
      : `${calls}; ${dollarText(microDollars)}, expected ${dollarText(expectedMicroDollars)} (${medianOf(earlierRuns)})`;
  },
};

const medianOf = (runs: number): string => `median of ${count(runs, "earlier run")}`;
const secondsText = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const dollarText = (microDollars: number): string => `$${(microDollars / 1e6).toFixed(4)}`;
