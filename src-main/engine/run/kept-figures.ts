/** The figures of a run and its workers, from its events; those in its changes are derived from them. */
import { type MeasuredWorker, notMeasured, sumMeasured } from "#shared/domain/metrics/measured-worker.ts";
import type { RunState } from "#shared/run/state.ts";

export interface KeptFigures {
  readonly metrics: MeasuredWorker;
  readonly iterations: number;
  readonly score: number | null;
}

type Facts = Pick<RunState, "metrics" | "workers" | "score" | "workerScores">;

/** The totals. Votes are the seats', each once, however many workers they are about. */
export function resultFigures(run: string, { metrics, workers, score }: Facts): KeptFigures {
  const sum = sumMeasured(metrics, run);
  const votes = score?.facts && { passed: score.facts.approvals, failed: score.facts.rejections };
  return {
    metrics: votes ? { ...sum, votes } : sum,
    iterations: Object.values(workers).reduce((total, { iteration }) => total + iteration, 0),
    score: score?.total ?? null,
  };
}

export const workerFigures = ({ metrics, workers, workerScores }: Facts, name: string): KeptFigures => ({
  metrics: metrics.find(({ worker }) => worker === name) ?? notMeasured(name),
  iterations: workers[name]?.iteration ?? 0,
  score: workerScores[name]?.total ?? null,
});

/** The sums of workers on one change, with the last score. */
export function figuresTogether(facts: Facts, names: readonly string[]): KeptFigures {
  const all = names.map((name) => workerFigures(facts, name));
  return {
    metrics: sumMeasured(
      all.map(({ metrics }) => metrics),
      names.at(-1) ?? "",
    ),
    iterations: all.reduce((total, { iterations }) => total + iterations, 0),
    score: all.findLast(({ score }) => score !== null)?.score ?? null,
  };
}
