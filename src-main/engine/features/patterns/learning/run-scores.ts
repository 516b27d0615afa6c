import type { ScoreView } from "#shared/contract/views/metrics.ts";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { type Expectation, expectationFrom } from "#shared/domain/metrics/expectation.ts";
import { sumMeasured } from "#shared/domain/metrics/measured-worker.ts";
import { workedMs } from "#shared/domain/metrics/worked-time.ts";
import { isBlocking } from "#shared/domain/project/known-failures.ts";
import { type ScoreFacts, score } from "#shared/domain/validation/score.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { RunDriver, RunJournal, RunReader } from "../../../ports.ts";
import { earlierRuns } from "../../../run/reported-runs.ts";
import { orchestratorsOf } from "../../../workers/hierarchy.ts";

/** Of a run and of each agent whose work is in it, by name. */
export interface RunScores {
  readonly score: ScoreView;
  readonly workers: Readonly<Record<string, ScoreView>>;
}

type Scored = RunReader & RunDriver & RunJournal;

/** What a run that is through came to, held against what earlier ones took. (HOX-6.3) */
export function scoresOf(run: Scored): RunScores {
  const expected = expectationFrom(earlierRuns(run.journal, run.row));
  const agents = [...run.workers.values()]
    .map(({ record }) => record)
    .filter(({ role, replacedBy }) => roles[role].canWriteTask && replacedBy === null);
  return {
    score: score(factsOfRun(run, expected)),
    workers: Object.fromEntries(
      agents.map((record) => [record.name, score(factsOfAgent(run, record, expected))]),
    ),
  };
}

function factsOfRun(run: Scored, { ofRun, runs }: Expectation): ScoreFacts {
  const { validation } = run.facts;
  // Of every plan: a delegated task counts as one, and what its part made of it as well.
  const tasks = orchestratorsOf(run).flatMap((name) => run.stateOf(name).tasks);
  const counted = validation?.seats.filter((seat) => seat.counted) ?? [];
  const tasksDone = tasks.filter((task) => task.state === "done").length;
  const expect = (perTask: number | null): number | null =>
    perTask === null || tasksDone === 0 ? null : perTask * tasksDone;
  const sum = sumMeasured(run.metrics.all(), run.id);
  return {
    ...workFacts(sum),
    ...checkFacts(validation?.checks ?? []),
    approvals: counted.filter((seat) => seat.vote === "approve").length,
    rejections: counted.filter((seat) => seat.vote === "reject").length,
    tasksPlanned: tasks.length,
    tasksDone,
    tasksMissing: missingOf(run).length,
    expectedMilliseconds: expect(ofRun.msPerTask),
    expectedMicroDollars: expect(ofRun.microDollarsPerTask),
    earlierRuns: runs,
  };
}

/** An agent's reviews are votes on its own work as much as those of seats. */
function factsOfAgent(run: Scored, record: WorkerRecord, { ofAgent, runs }: Expectation): ScoreFacts {
  const metrics = run.metrics.of(record.name);
  const reviews = record.fold?.reviews.filter(({ by }) => by !== "checks") ?? [];
  return {
    ...workFacts(metrics),
    ...checkFacts(record.checks),
    approvals: metrics.votes.passed + reviews.filter(({ verdict }) => verdict === "approved").length,
    rejections: metrics.votes.failed + reviews.filter(({ verdict }) => verdict === "changes").length,
    tasksPlanned: 1,
    tasksDone: record.status === "done" ? 1 : 0,
    tasksMissing: missingOf(run).some(({ worker }) => worker === record.name) ? 1 : 0,
    expectedMilliseconds: ofAgent.ms,
    expectedMicroDollars: ofAgent.microDollars,
    earlierRuns: runs,
  };
}

/** As it was compared with the result last. */
const missingOf = ({ facts }: RunReader) => facts.landing.compared?.missing ?? [];

const workFacts = ({ msByPhase, toolCalls, failedCalls, spent }: ReturnType<typeof sumMeasured>) => ({
  milliseconds: workedMs(msByPhase),
  toolCalls: Object.values(toolCalls).reduce((total, calls) => total + calls, 0),
  failedCalls,
  microDollars: spent.microDollars,
});

const checkFacts = (checks: readonly CheckResult[]) => ({
  // What proves nothing counts on neither side.
  checksPassed: checks.filter((check) => !isBlocking(check) && check.outcome !== "unproven").length,
  checksFailed: checks.filter(isBlocking).length,
});
