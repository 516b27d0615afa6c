/** Compares the figures in changes with those in the journal. */
import type { StoresView } from "#shared/contract/commands/report.ts";
import { type MeasuredWorker, notMeasured, sumMeasured } from "#shared/domain/metrics/measured-worker.ts";
import { compareStores, type KeptChange, metricNumbers } from "#shared/domain/metrics/metrics-trailer.ts";
import type { RunState } from "#shared/run/state.ts";
import type { Config } from "../../config/config-interface.ts";
import type { Repository } from "../../jj/ports/repository-interface.ts";
import type { Journal } from "../../journal/journal.ts";
import type { RecordedRunRow } from "../../journal/run-rows.ts";
import { recordedState } from "../recorded-state.ts";
import { rootOf } from "../workers/hierarchy.ts";

/** Compares the newest complete runs; others have no figures on changes. @param most how many of them */
export async function comparedStores(
  journal: Journal,
  repository: Repository,
  most: number,
): Promise<StoresView> {
  const rows = journal
    .runs()
    .filter(({ stage }) => stage === "complete")
    .slice(0, most);
  const begun = performance.now();
  const kept = rows.flatMap((row) => changesOf(journal, row));
  const databaseMs = performance.now() - begun;
  const found = await figuresOf(repository);
  const trailerMs = performance.now() - begun - databaseMs;
  return {
    runs: rows.length,
    databaseMs: Math.round(databaseMs),
    trailerMs: Math.round(trailerMs),
    elsewhere: elsewhere(journal, [...found.values()]),
    ...compareStores(kept, new Map([...found].map(([changeId, { metrics }]) => [changeId, metrics]))),
  };
}

/** `Hox-Metrics` of a change, and whose run it is of. */
interface Figures {
  readonly metrics: string;
  readonly run: string | null;
}

/** Of descriptions and notes alike: one query, however many there are. */
async function figuresOf(repository: Repository): Promise<ReadonlyMap<string, Figures>> {
  const [changes, { byCommit }] = await Promise.all([repository.changesWithFigures(), repository.notes()]);
  const blocks = [...byCommit.values()].flatMap((note) => note.blocks);
  return new Map(
    [...blocks, ...changes].flatMap(({ changeId, metadata: { metrics, run = null } }) =>
      metrics === undefined || changeId === null ? [] : [[changeId, { metrics, run }]],
    ),
  );
}

function elsewhere(journal: Journal, found: readonly Figures[]): number {
  const own = new Set(journal.runs().map(({ id }) => id));
  return found.filter(({ run }) => run !== null && !own.has(run)).length;
}

function changesOf(journal: Journal, row: RecordedRunRow): readonly KeptChange[] {
  const facts = recordedState(journal, row.id);
  const config = journal.config<Config>(row.id);
  const result = facts.orchestrators[rootOf({ row })]?.integration ?? null;
  const about = {
    run: row.id,
    store: config?.metrics.store ?? "both",
    isLandedBare: hasLanded(facts) && config?.landing.metadata === "none",
  };
  const known = facts.metrics.length > 0;
  const own = Object.values(facts.workers).filter(
    ({ changeId, status }) => changeId !== null && changeId !== result && status !== "abandoned",
  );
  return [
    ...(result === null
      ? []
      : [
          {
            ...about,
            worker: null,
            changeId: result,
            kept: known ? numbersOf(resultFigures(row.id, facts)) : null,
          },
        ]),
    ...own.map(({ name, changeId }) => ({
      ...about,
      worker: name,
      changeId: changeId ?? "",
      kept: known ? numbersOf(workerFigures(facts, name)) : null,
    })),
  ];
}

/** The figures of a run and its workers, from its events; those in its changes are derived from them. */
interface KeptFigures {
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

const workerFigures = ({ metrics, workers, workerScores }: Facts, name: string): KeptFigures => ({
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

const numbersOf = ({ metrics, iterations, score }: KeptFigures): NonNullable<KeptChange["kept"]> => ({
  numbers: metricNumbers(metrics, iterations),
  score,
});

const hasLanded = ({ landing }: RunState): boolean => landing.landed !== null;
