import { rootOrchestrator } from "#shared/domain/graph-words/address.ts";
import { isBlocking } from "#shared/domain/project/known-failures.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { Journal } from "../../journal/journal.ts";
import type { RecordedRun, RunFigure } from "../../patterns/patterns-interface.ts";
import { recordedModel } from "../model/recorded-model.ts";
import type { RunJournal, RunReader } from "../ports.ts";

/** Finished runs of this repository, newest first, and the one that is going on: what a pattern's evidence is tried on. */
export function recordedRuns(run: RunReader & RunJournal): readonly RecordedRun[] {
  const finished = run.journal
    .runs()
    .filter((row) => row.id !== run.id && row.endedAt !== null)
    .slice(0, 50)
    .map((row) =>
      recorded(
        run.journal,
        row.id,
        row.input.goal,
        row.stage === "complete" ? "complete" : row.stage === "stopped" ? "stopped" : "failed",
      ),
    );
  return [recordedRun(run, "complete"), ...finished];
}

export const recordedRun = (run: RunReader & RunJournal, outcome: RecordedRun["outcome"]): RecordedRun =>
  recorded(run.journal, run.id, run.row.input.goal, outcome);

export const runFiguresOf = (run: RunReader & RunJournal): Readonly<Record<RunFigure, number>> =>
  recordedRun(run, "complete").figures;

function recorded(journal: Journal, id: string, goal: string, outcome: RecordedRun["outcome"]): RecordedRun {
  const facts = recordedModel(journal, id);
  const plans = Object.values(facts.orchestrators).flatMap(({ plan }) => plan ?? []);
  const workers = Object.values(facts.workers);
  const agents = workers.filter((worker) => roles[worker.role].canWriteTask);
  const events = journal.events(id);
  const successRate = (name: string): number => {
    const own = facts.metrics.find((metrics) => metrics.worker === name);
    const calls = Object.values(own?.toolCalls ?? {}).reduce((sum, count) => sum + count, 0);
    return calls === 0 ? 1 : (calls - (own?.failedCalls ?? 0)) / calls;
  };
  return {
    run: id,
    goal,
    outcome,
    figures: {
      agents: agents.length,
      phases: facts.orchestrators[rootOrchestrator]?.plan?.phases.length ?? 0,
      contract_files: plans.reduce((sum, plan) => sum + plan.contracts.files.length, 0),
      iterations: workers.reduce((sum, worker) => sum + worker.iteration, 0),
      align_requests: facts.questions.length,
      mutations: facts.decisions.length,
      mutation_conflicts: facts.decisions.reduce((sum, decision) => sum + decision.contradicted.length, 0),
      merge_conflicts: facts.metrics.find((metrics) => metrics.worker === "integrator")?.conflictsMet ?? 0,
      approvals:
        facts.validation?.seats.filter((seat) => seat.counted && seat.vote === "approve").length ?? 0,
      seats: facts.validation?.seats.length ?? 0,
      attempts: events.filter(({ event }) => event.kind === "ValidationFailed").length + 1,
      failed_checks: workers
        .flatMap(({ checkRounds }) => checkRounds.flatMap(({ results }) => results))
        .filter(isBlocking).length,
      score: facts.score?.total ?? 0,
    },
    agents: agents.map((worker) => ({
      worker: worker.name,
      title: worker.title,
      iterations: worker.iteration,
      successRate: successRate(worker.name),
    })),
  };
}
