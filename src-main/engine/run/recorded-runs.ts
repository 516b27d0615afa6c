import type { Stage } from "#shared/contract/views/run.ts";
import { integratorOf } from "#shared/domain/change-metadata/address.ts";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { isBlocking } from "#shared/domain/project/preflight.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import { failedValidations, type RecordedEvent } from "#shared/run/events.ts";
import { reduceRun } from "#shared/run/reduce.ts";
import { emptyRun, type RunState } from "#shared/run/state.ts";
import type { Journal } from "../../journal/journal.ts";
import type { RecordedRunRow } from "../../journal/run-rows.ts";
import type { RecordedRun, RunFigure } from "../../patterns/patterns-interface.ts";
import type { Run } from "../ports.ts";
import { rootOf } from "../workers/hierarchy.ts";

/** Maximum of runs: older ones are about another state of the project. */
const maxRuns = 50;

/**
 * Finished runs of this repository, newest first, and the active one: a pattern's evidence is tested on them.
 */
export const recordedRuns = (run: Run): readonly RecordedRun[] => [
  recordedRun(run, "complete"),
  ...finishedRuns(run.journal).filter((one) => one.run !== run.id),
];

/** What a run that is over was does not change; by its journal, so that no two repositories meet. */
const known = new WeakMap<Journal, Map<string, RecordedRun>>();

/** Finished runs of this repository, newest first. */
export function finishedRuns(journal: Journal): readonly RecordedRun[] {
  const own = known.get(journal) ?? new Map<string, RecordedRun>();
  known.set(journal, own);
  return journal
    .runs()
    .filter((row) => row.endedAt !== null)
    .slice(0, maxRuns)
    .map((row) => {
      const outcome = outcomeOf(row.stage);
      // A run can continue after its end, e.g. when its landing is undone.
      const key = `${row.id} ${row.stage} ${row.endedAt}`;
      const before = own.get(key);
      if (before) return before;
      const read = recordedRunOf(journal, row, outcome);
      own.set(key, read);
      return read;
    });
}

const outcomeOf = (stage: Stage): RecordedRun["outcome"] =>
  stage === "complete" ? "complete" : stage === "stopped" ? "stopped" : "failed";

export const recordedRun = (run: Run, outcome: RecordedRun["outcome"]): RecordedRun =>
  recordedRunOf(run.journal, run.row, outcome);

export const runFiguresOf = (run: Run): Readonly<Record<RunFigure, number>> =>
  recordedRun(run, "complete").figures;

/** The final state, and how many questions were asked in first iterations. */
function replayed(events: readonly RecordedEvent[]): { readonly facts: RunState; readonly early: number } {
  let facts = emptyRun;
  let early = 0;
  for (const { at, event } of events) {
    facts = reduceRun(facts, event, at);
    if (event.kind === "QuestionAsked" && (facts.workers[event.question.from]?.iteration ?? 0) <= 1) early++;
  }
  return { facts, early };
}

/** One run from the journal. */
export function recordedRunOf(
  journal: Journal,
  row: RecordedRunRow,
  outcome: RecordedRun["outcome"],
): RecordedRun {
  const events = journal.events(row.id);
  const { facts, early } = replayed(events);
  const plans = Object.values(facts.orchestrators).flatMap(({ plan }) => plan ?? []);
  const workers = Object.values(facts.workers);
  const agents = workers
    .filter((worker) => roles[worker.role].canWriteTask)
    .map((worker) => ({
      worker: worker.name,
      title: worker.title,
      iterations: worker.iteration,
      successRate: successRate(worker),
    }));
  const results = workers.flatMap(({ checkRounds }) => checkRounds.flatMap((round) => round.results));
  return {
    run: row.id,
    goal: row.input.goal,
    outcome,
    files: [...new Set(plans.flatMap(({ tasks }) => tasks.flatMap((task) => task.files)))],
    figures: {
      agents: agents.length,
      phases: facts.orchestrators[rootOf({ row })]?.plan?.phases.length ?? 0,
      contract_files: plans.reduce((sum, plan) => sum + plan.contracts.files.length, 0),
      iterations: workers.reduce((sum, worker) => sum + worker.iteration, 0),
      align_requests: facts.questions.length,
      early_align_requests: early,
      late_align_requests: facts.questions.length - early,
      mutations: facts.decisions.length,
      unexplained_mutations: facts.decisions.filter(({ reason }) => !isExplained(reason)).length,
      mutation_conflicts: facts.decisions.reduce((sum, decision) => sum + decision.contradicted.length, 0),
      merge_conflicts:
        facts.metrics.find((metrics) => metrics.worker === integratorOf(rootOf({ row })))?.conflictsMet ?? 0,
      integrations: Object.values(facts.orchestrators).filter(({ integration }) => integration !== null)
        .length,
      approvals:
        facts.validation?.seats.filter((seat) => seat.counted && seat.vote === "approve").length ?? 0,
      seats: facts.validation?.seats.length ?? 0,
      attempts: failedValidations(events) + 1,
      checks: new Set(results.map(({ name }) => name)).size,
      failed_checks: results.filter(isBlocking).length,
      best_success_rate: Math.max(0, ...agents.map((agent) => agent.successRate)),
      score: facts.score?.total ?? 0,
    },
    checks: { fast: commandsOf(results, "fast"), slow: commandsOf(results, "slow") },
    agents,
  };
}

/** A word or two explain nothing. */
const isExplained = (reason: string): boolean => reason.trim().split(/\s+/u).length >= 3;

/** Work that was offered again counts as reworked, no matter who sent it back. */
const successRate = ({ mergeRequest }: WorkerRecord): number =>
  mergeRequest?.state.stage === "merged" ? Math.round(1_000 / Math.max(1, mergeRequest.round)) / 1_000 : 0;

const commandsOf = (results: readonly CheckResult[], speed: CheckResult["speed"]): readonly string[] => [
  ...new Set(
    results.filter((one) => one.speed === speed && one.outcome !== "missing").map(({ command }) => command),
  ),
];
