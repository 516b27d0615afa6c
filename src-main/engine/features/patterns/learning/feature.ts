import type { AnswerTo, ItemOf } from "#shared/contract/cards.ts";
import { integratorOf } from "#shared/domain/change-metadata/address.ts";
import type { MetadataPatch } from "#shared/domain/change-metadata/metadata.ts";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { type Expectation, expectationFrom } from "#shared/domain/metrics/expectation.ts";
import { sumMeasured } from "#shared/domain/metrics/measured-worker.ts";
import { metricsTrailer, workedMs } from "#shared/domain/metrics/metrics-trailer.ts";
import { isBlocking } from "#shared/domain/project/preflight.ts";
import { type ScoreFacts, score } from "#shared/domain/validation/score.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { reassignedTo, type WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import { proposalOf } from "../../../../patterns/pattern-text.ts";
import { structuredTool } from "../../../../tools/tool-interface.ts";
import { learnedFor } from "../../../conversations/learned-patterns.ts";
import { EngineRefusal, StaleAnswer } from "../../../engine-errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import { bestEffort } from "../../../kernel/best-effort.ts";
import type { Feature } from "../../../kernel/feature.ts";
import { ownLog, type Run, type RunReader } from "../../../ports.ts";
import { figuresTogether, resultFigures } from "../../../run/compare-stores.ts";
import { recordedRuns } from "../../../run/recorded-runs.ts";
import { earlierRuns } from "../../../run/reported-runs.ts";
import { orchestratorsOf, rootOf, workflowIn } from "../../../workers/hierarchy.ts";
import { missingFromResult } from "../../../workflow/missing-from-result.ts";
import { lessonsOf } from "../../../workflow/run-workflow.ts";
import { automaticGate, learnPatterns, patternCard, patternShape } from "./learn-patterns.ts";

/** What is worth knowing in later runs. */
export const learning: Feature<Run> = {
  name: "learning",
  commands: ({ isInactive }) => ({
    "pattern.editCard": (run, { card, markdown }) => editPatternCard(run, card, markdown, isInactive),
  }),
  cardChecks: { pattern: refuseFailedGate },
  agents: {
    prompt: {
      patterns: (run, { worker }) => [
        learnedFor(run, worker, run.worker(worker).record.role === "integrator" ? "integrator" : "agent"),
      ],
    },
  },
  orchestratorTools: [
    {
      name: "propose_pattern",
      answers: { learn: 1 },
      make: () =>
        structuredTool(
          "propose_pattern",
          "Proposes something worth knowing in later runs. The user decides whether it is kept. Use it for what this run taught and another one would not know.",
          patternShape,
        ),
    },
    { name: "report_done", answers: { learn: 2 } },
  ],
  stageActions: { RecordPattern: { title: "Learning from the run failed", perform: (run) => learn(run) } },
};

/**
 * Edits the text on a pattern's card: the gates run again, and the card shows the results. The earlier text
 * cannot be approved any more. Journalled, as every card is.
 *
 * @param isInactive no host works on the repository, so that no seat can be asked
 */
async function editPatternCard(run: Run, card: string, markdown: string, isInactive: boolean): Promise<void> {
  const item = run.inbox.items().find(({ id }) => id === card);
  if (item?.kind !== "pattern") throw new StaleAnswer(`No open pattern card ${card}.`);
  if (isInactive && run.config.patterns.judgedBySeats)
    throw new EngineRefusal(
      "Validators judge patterns in this repository, and no Hox process has it open to run them.",
      "Resume the run (hox run), then edit the pattern.",
    );
  if (run.isPausedOrOver() && run.config.patterns.judgedBySeats)
    throw new EngineRefusal(
      "Validators judge patterns in this repository, and the run is paused.",
      "Resume the run, then edit the pattern.",
    );
  const proposal = proposalOf(`${item.category}/${item.name}`, markdown, false);
  const gates = await automaticGate(run, proposal, recordedRuns(run));
  // It may have been answered, or edited in another window, meanwhile.
  if (run.inbox.items().find(({ id }) => id === card)?.nonce !== item.nonce)
    throw new StaleAnswer(`The pattern ${item.name} was answered or changed in the meantime.`);
  run.inbox.replace(card, patternCard(run, proposal, gates));
}

/** A text that failed the gate is never saved, even with approval. */
function refuseFailedGate(_: Run, { name, gates }: ItemOf<"pattern">, { kind }: AnswerTo<"pattern">): void {
  const failed = gates.filter(({ passed }) => !passed);
  if (kind !== "approve" || failed.length === 0) return;
  throw new EngineRefusal(
    `The pattern ${name} failed the automatic checks: ${failed.map((gate) => `${gate.name} (${gate.detail})`).join(" ")}`,
    "Edit its text, or reject it.",
  );
}

/** After a result that was approved: its figures on the final change, and what may be worth knowing next time. */
async function learn(run: Run): Promise<void> {
  await scoreRun(run);
  // A result that came back from landing has taught what it teaches.
  await run.step("learned", async () => {
    if (teaches(run))
      await bestEffort(run, "Patterns could not be extracted from the run", () => learnPatterns(run));
    return true;
  });
  // After all that learning cost as well.
  await writeMetrics(run);
  run.dispatch({ kind: "LearningComplete" });
}

/** Held against earlier runs once, before anything is learned from it. */
const scoreRun = (run: Run): Promise<boolean> =>
  run.step(afterRepairs(run, "scored"), async () => {
    const { integration } = run.orchestratorFacts(rootOf(run));
    if (integration !== null) await missingFromResult(run, (await readChange(run, integration)).commitId);
    const { score, workers } = scoresOf(run);
    run.append(
      { kind: "MetricsMeasured", metrics: run.metrics.all() },
      { kind: "RunScored", score, workers },
    );
    return true;
  });

/** The scores of a finished run, and of each agent whose work is in it, compared with earlier ones. (HOX-6.3) */
function scoresOf(run: Run) {
  const expected = expectationFrom(earlierRuns(run.journal, run.row));
  const agents = [...run.workers.values()]
    .map(({ record }) => record)
    .filter((record) => roles[record.role].canWriteTask && reassignedTo(record) === null);
  return {
    score: score(factsOfRun(run, expected)),
    workers: Object.fromEntries(
      agents.map((record) => [record.name, score(factsOfAgent(run, record, expected))]),
    ),
  };
}

function factsOfRun(run: Run, { ofRun, runs }: Expectation): ScoreFacts {
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
function factsOfAgent(run: Run, record: WorkerRecord, { ofAgent, runs }: Expectation): ScoreFacts {
  const metrics = run.metrics.of(record.name);
  const reviews = record.mergeRequest?.reviews.filter(({ by }) => by !== "checks") ?? [];
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

/** A result that was returned at landing comes again as another one. */
const afterRepairs = ({ state: { attempt } }: RunReader, step: string): string =>
  attempt === 0 ? step : `${step}/${attempt}`;

type Patches = readonly { readonly change: string; readonly patch: MetadataPatch }[];

/**
 * A run's figures, as `[metrics] store` says: the totals on the result, each agent's on its final change, all
 * in one operation. Before landing, because a landed change may be immutable. (HOX-6.2)
 */
async function writeMetrics(run: Run): Promise<void> {
  const { integration } = run.orchestratorFacts(rootOf(run));
  const integrator = integratorOf(rootOf(run));
  if (integration === null) throw new Error("No integration change.");
  await run.step(afterRepairs(run, "metrics"), async () => {
    run.append({ kind: "MetricsMeasured", metrics: run.metrics.all() });
    await readChange(run, integration);
    const workspace = run.workspaces.of(integrator);
    if (workspace) await workspace.snapshot({ actor: integrator });
    const mark = (metrics: string | null, others: Patches) =>
      run.repository.setMetadata(
        [
          { change: integration, patch: { status: "done", ...(metrics === null ? {} : { metrics }) } },
          ...others,
        ],
        { actor: "hox" },
      );
    const { metrics, iterations, score } = resultFigures(run.id, run.facts);
    const sum = metricsTrailer(metrics, iterations, score);
    const marked =
      run.config.metrics.store !== "database" &&
      (await bestEffort(run, "The metrics of the run could not be written", async () => {
        await mark(sum, ownFigures(run, integration));
      }));
    // The figures one can do without, the word that it is done one cannot.
    if (!marked) await mark(null, []);
  });
}

/**
 * Figures by change; those of the result are the totals. Workers that share a change (a part's orchestrator
 * and its integrator, an agent and its replacement) are summed.
 */
const ownFigures = (run: RunReader, integration: string): Patches => {
  const byChange = Map.groupBy(
    Object.values(run.facts.workers).filter(({ status }) => status !== "abandoned"),
    ({ changeId }) => changeId,
  );
  return [...byChange].flatMap(([changeId, workers]) => {
    const change = changeId === null ? undefined : run.changes.get(changeId);
    if (!change || change.changeId === integration || change.immutable || change.divergent) return [];
    const { metrics, iterations, score } = figuresTogether(
      run.facts,
      workers.map(({ name }) => name),
    );
    return [{ change: change.changeId, patch: { metrics: metricsTrailer(metrics, iterations, score) } }];
  });
};

/** Whether the run's patterns are looked for; the log says why. */
function teaches(run: Run): boolean {
  const { learning } = workflowIn(run, rootOf(run));
  const lessons = lessonsOf(run);
  const isAsked = learning.mode === "on" || (learning.mode === "auto" && lessons !== null);
  const why = learning.mode === "auto" && lessons !== null ? lessons : learning.reason;
  run.appendTranscript(ownLog, {
    kind: "notice",
    text: `${isAsked ? "Learning from the run" : "Nothing to learn from the run"}: ${why}`,
  });
  return isAsked;
}
