/** What work in a repository takes, by what it took before. */

import type { ReportedRun, ReportedWorker } from "../report/report.ts";

/** What one task of a run, or one agent, is expected to take; null where nothing is known of it. */
export interface Expectation {
  readonly ofRun: { readonly msPerTask: number | null; readonly microDollarsPerTask: number | null };
  readonly ofAgent: { readonly ms: number | null; readonly microDollars: number | null };
  /** Complete runs that were looked at. */
  readonly runs: number;
}

/** The median; of an even number the mean of the two in the middle. Null of nothing. */
export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

/**
 * Expectations from earlier runs. Failed runs do not count, and a run of ten tasks may take ten times as long
 * as one of a single task: the median is per finished task. (HOX-6.3)
 *
 * @param earlier without the run that is judged
 */
export function expectationFrom(earlier: readonly ReportedRun[]): Expectation {
  const complete = earlier.filter(({ isComplete }) => isComplete);
  const perTask = (of: (worker: ReportedWorker) => number): number | null =>
    median(
      complete.flatMap(({ workers }) => {
        const whole = sum(workers.map(of));
        const tasks = workers.filter(isDone).length;
        return whole > 0 && tasks > 0 ? [whole / tasks] : [];
      }),
    );
  const perAgent = (of: (worker: ReportedWorker) => number): number | null =>
    median(
      complete.flatMap(({ workers }) =>
        workers
          .filter(isDone)
          .map(of)
          .filter((value) => value > 0),
      ),
    );
  return {
    ofRun: { msPerTask: perTask(timeOf), microDollarsPerTask: perTask(costOf) },
    ofAgent: { ms: perAgent(timeOf), microDollars: perAgent(costOf) },
    runs: complete.length,
  };
}

const isDone = ({ isAgent, isDiscarded }: ReportedWorker): boolean => isAgent && !isDiscarded;
const timeOf = ({ milliseconds }: ReportedWorker): number => milliseconds;
const costOf = ({ spent }: ReportedWorker): number =>
  sum([...spent.values()].map(({ microDollars }) => microDollars));
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
