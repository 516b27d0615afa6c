/** What a finished run, or one agent's part of it, is judged by. Counts are whole numbers, 0 or more. */
export interface ScoreFacts {
  /** Counted votes of validators. */
  readonly approvals: number;
  readonly rejections: number;
  /** Results of deterministic checks on the final commit. */
  readonly checksPassed: number;
  readonly checksFailed: number;
  readonly tasksPlanned: number;
  readonly tasksDone: number;
  /** Time at work, in milliseconds; waiting for a person does not count. */
  readonly milliseconds: number;
  /** What such work takes: the median of earlier runs. Null without any. */
  readonly expectedMilliseconds: number | null;
  readonly toolCalls: number;
  readonly failedCalls: number;
  readonly microDollars: number;
  /** The budget, or the median of earlier runs. Null without either. */
  readonly expectedMicroDollars: number | null;
}

/** Each part from 0 to 1; `total` is their weighted sum. */
export interface Score {
  readonly quality: number;
  readonly completeness: number;
  readonly time: number;
  readonly efficiency: number;
  readonly total: number;
}

/** The weights of the four parts. (HOX-6.3) */
export const weights = { quality: 0.35, completeness: 0.3, time: 0.2, efficiency: 0.15 } as const;

const share = (part: number, whole: number, without: number): number => (whole > 0 ? part / whole : without);

/** 1 up to what is expected, then in inverse proportion: twice as much gives a half. 1 without an expectation. */
const against = (actual: number, expected: number | null): number =>
  expected === null || actual <= expected ? 1 : expected / actual;

/**
 * The score of finished work. (HOX-6.3)
 * - quality: half the share of approvals among the votes for or against, half the share of checks that passed.
 *   Without votes the checks decide alone, without checks the votes do; without both it is 0, for nobody looked.
 * - completeness: tasks done of tasks planned; 0 when nothing was planned.
 * - time: 1 up to the expected time, then expected ÷ actual.
 * - efficiency: share of tool calls that worked, times 1 up to the expected cost, then expected ÷ actual.
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
  const completeness = Math.min(1, share(facts.tasksDone, facts.tasksPlanned, 0));
  const time = against(facts.milliseconds, facts.expectedMilliseconds);
  const worked = Math.max(0, share(facts.toolCalls - facts.failedCalls, facts.toolCalls, 1));
  const efficiency = worked * against(facts.microDollars, facts.expectedMicroDollars);
  const total =
    weights.quality * quality +
    weights.completeness * completeness +
    weights.time * time +
    weights.efficiency * efficiency;
  return { quality, completeness, time, efficiency, total };
}
