/** What runs that are over took, part by part, for what the next ones will take. */
import { setImmediate as others } from "node:timers/promises";
import type { PastPart, PastRun } from "#shared/domain/forecast/forecast.ts";
import { kindOfWorker } from "#shared/domain/forecast/work-kind.ts";
import type { MeasuredWorker } from "#shared/domain/metrics/measured-worker.ts";
import { workedMs } from "#shared/domain/metrics/worked-time.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { Journal } from "../../journal/journal.ts";
import type { RecordedRunRow } from "../../journal/run-rows.ts";
import { replayModel } from "../model/reduce-model.ts";
import type { ModelEvent } from "../model/run-events.ts";
import type { RunModel } from "../model/run-model.ts";

/** So many complete runs tell what work takes here: what was long ago was another repository. */
const mostRuns = 20;

/** By the journal, so that no two repositories meet; what a run that is over took does not change. */
const known = new WeakMap<Journal, Map<string, PastRun>>();

/**
 * Complete runs of this repository, the oldest first. What a rehearsal took says something of rehearsals alone.
 * Others have their turn between two of them.
 */
export async function pastRuns(
  journal: Journal,
  of: { readonly isRehearsal: boolean; readonly without?: string },
): Promise<readonly PastRun[]> {
  const rows = journal
    .runs()
    .filter(
      ({ id, stage, input }) =>
        id !== of.without && stage === "complete" && (input.rehearsal !== null) === of.isRehearsal,
    )
    .slice(0, mostRuns);
  const past: PastRun[] = [];
  for (const row of rows) {
    past.unshift(pastRun(journal, row));
    await others();
  }
  return past.filter(({ parts }) => parts.length > 0);
}

function pastRun(journal: Journal, row: RecordedRunRow): PastRun {
  const own = known.get(journal) ?? new Map<string, PastRun>();
  known.set(journal, own);
  const key = `${row.id} ${row.endedAt}`;
  const before = own.get(key);
  if (before) return before;
  const facts = replayModel(journal.modelEvents<ModelEvent>(row.id));
  const spent = new Map<string, { model: string; microDollars: number }>();
  for (const one of journal.spending(row.id)) {
    const sum = spent.get(one.worker) ?? { model: one.model, microDollars: 0 };
    spent.set(one.worker, { model: one.model, microDollars: sum.microDollars + one.spent.microDollars });
  }
  const measured = new Map(facts.metrics.map((one) => [one.worker, one]));
  const parts = Object.values(facts.workers).flatMap((record) => {
    const { model = record.model || row.input.model, microDollars = 0 } = spent.get(record.name) ?? {};
    return partOf(facts, record, { model, microDollars, measured: measured.get(record.name) });
  });
  const read: PastRun = { run: row.id, isQuick: row.input.isQuick, parts };
  own.set(key, read);
  return read;
}

/** What one worker took; nothing where it never did anything. */
export function partOf(
  facts: Pick<RunModel, "orchestrators">,
  record: WorkerRecord,
  took: {
    readonly model: string;
    readonly microDollars: number;
    readonly measured: Pick<MeasuredWorker, "msByPhase"> | undefined;
  },
): readonly PastPart[] {
  const { model, microDollars } = took;
  const milliseconds = workedMs(took.measured?.msByPhase ?? {});
  if (microDollars === 0 && milliseconds === 0) return [];
  return [
    {
      kind: kindOfWorker(record.role, filesOf(facts, record)),
      model,
      phase: record.phase,
      microDollars,
      milliseconds,
    },
  ];
}

const filesOf = (
  { orchestrators }: Pick<RunModel, "orchestrators">,
  { parent, task }: WorkerRecord,
): readonly string[] => orchestrators[parent ?? ""]?.plan?.tasks.find(({ id }) => id === task)?.files ?? [];
