/** Runs of this repository as reports take them, read from the journal. */
import { workedMs } from "#shared/domain/metrics/metrics-trailer.ts";
import type { ReportedRun, ReportedWorker } from "#shared/domain/report/report.ts";
import { addSpent, nothingSpent, type Spent } from "#shared/domain/spending/usage.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { reassignedTo, type WorkerRecord, type WorkerRole } from "#shared/domain/worker/worker-record.ts";
import { failedValidations } from "#shared/run/events.ts";
import { replayRun } from "#shared/run/reduce.ts";
import { emptyRun, type RunState } from "#shared/run/state.ts";
import type { Journal } from "../../journal/journal.ts";
import type { RecordedRunRow } from "../../journal/run-rows.ts";

/**
 * The newest runs of the journal, newest first. Rehearsals are left out if there are real runs: their model
 * is scripted, and their cost was never paid.
 *
 * @param most how many of them
 */
export function reportedRuns(
  journal: Journal,
  most: number,
): { readonly reported: readonly ReportedRun[]; readonly leftOut: number } {
  const all = journal.runs().filter(({ input }) => !input.isWatch);
  const real = all.filter(({ input }) => input.rehearsal === null);
  const rows = real.length > 0 ? real : all;
  return {
    reported: rows.slice(0, most).map((row) => reportedRun(journal, row)),
    leftOut: Math.max(0, rows.length - most),
  };
}

/** Maximum of complete runs to estimate from: older ones are about another state of the repository. */
const runsToCompareWith = 20;

/** Complete runs before this one, newest first. What a rehearsal took says something of rehearsals alone. */
export const earlierRuns = (journal: Journal, run: RecordedRunRow): readonly ReportedRun[] =>
  journal
    .runs()
    .filter(
      ({ id, stage, input }) =>
        id !== run.id &&
        stage === "complete" &&
        (input.rehearsal === null) === (run.input.rehearsal === null),
    )
    .slice(0, runsToCompareWith)
    .map((row) => reportedRun(journal, row));

export function reportedRun(journal: Journal, row: RecordedRunRow): ReportedRun {
  const events = journal.events(row.id);
  const facts = replayRun(emptyRun, events);
  const restarted = new Set(
    events.flatMap(({ event }) =>
      event.kind === "WorkReset" || event.kind === "WorkUndone" ? [event.worker] : [],
    ),
  );
  const spent = spentByModel(journal, row.id);
  return {
    run: row.id,
    goal: row.input.goal,
    startedAt: row.startedAt,
    startedBy: row.input.startedBy ?? null,
    isComplete: row.stage === "complete",
    score: facts.score?.total ?? null,
    repairRounds: failedValidations(events),
    patterns: injectedPatternNames(facts),
    workers: Object.values(facts.workers).map((record) =>
      reportedWorker(facts, record, spent.get(record.name) ?? new Map(), restarted),
    ),
  };
}

/** By what reports call them: the name without its category. */
const injectedPatternNames = ({ injectedPatterns }: RunState): readonly string[] => [
  ...new Set(
    Object.values(injectedPatterns).flatMap((patterns) =>
      patterns.map(({ id }) => id.slice(id.indexOf("/") + 1)),
    ),
  ),
];

function reportedWorker(
  facts: RunState,
  record: WorkerRecord,
  spent: ReportedWorker["spent"],
  restarted: ReadonlySet<string>,
): ReportedWorker {
  const own = facts.metrics.find(({ worker }) => worker === record.name);
  const isAgent = roles[record.role].canWriteTask;
  return {
    worker: record.name,
    title: record.title,
    phase: phaseOf(facts, record),
    isAgent,
    spent,
    milliseconds: workedMs(own?.msByPhase ?? {}),
    toolCalls: Object.values(own?.toolCalls ?? {}).reduce((sum, count) => sum + count, 0),
    failedCalls: own?.failedCalls ?? 0,
    iterations: record.iteration,
    fastChecks: own?.checks.fast.runs ?? 0,
    fastCheckMilliseconds: own?.checks.fast.ms ?? 0,
    slowChecks: own?.checks.slow.runs ?? 0,
    slowCheckMilliseconds: own?.checks.slow.ms ?? 0,
    conflicts: own?.conflictsMet ?? 0,
    questions: own?.alignRequests ?? 0,
    isDiscarded: isAgent && (reassignedTo(record) !== null || record.status === "abandoned"),
    isReworked:
      isAgent &&
      (record.replaces !== null ||
        restarted.has(record.name) ||
        (record.mergeRequest?.reviews.some(({ verdict }) => verdict === "changes") ?? false)),
  };
}

const phases: Readonly<Record<Exclude<WorkerRole, "agent" | "fork">, string>> = {
  orchestrator: "orchestration",
  integrator: "integration",
  validator: "validation",
  reviewer: "review",
  archangel: "archangels",
};

/** A fork works in the middle of its caller's work. */
function phaseOf(facts: RunState, { role, phase, parent }: WorkerRecord): string {
  if (role === "agent") return `phase ${phase}`;
  if (role !== "fork") return phases[role];
  const caller = parent === null ? undefined : facts.workers[parent];
  return caller ? phaseOf(facts, caller) : "forks";
}

function spentByModel(journal: Journal, run: string): ReadonlyMap<string, ReportedWorker["spent"]> {
  const byWorker = new Map<string, Map<string, Spent>>();
  for (const { worker, model, spent } of journal.spending(run)) {
    const models = byWorker.get(worker) ?? new Map<string, Spent>();
    byWorker.set(worker, models.set(model, addSpent(models.get(model) ?? nothingSpent, spent)));
  }
  return byWorker;
}
