/** Who judges a run's result, as its strategy says, and what those are shown whom the strategy brings. */

import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { filesOfDiff } from "#shared/domain/files/diff.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import type { ValidationView } from "#shared/domain/validation/panel.ts";
import { type Author, type Panel, panelFor } from "#shared/domain/validation/panel.ts";
import { byLikeness } from "#shared/domain/validation/panel-trust.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { ConversationOptions } from "../../../../agent/agent-interface.ts";
import type { RunFigure } from "../../../../patterns/patterns-interface.ts";
import { validate } from "../../../../validation/validate.ts";
import type {
  ComparedRun,
  Comparison,
  OpenedSeat,
  PeerEvidence,
  SeatConversation,
  ValidationEvidence,
  ValidationOutcome,
} from "../../../../validation/validation-interface.ts";
import {
  conversationFactory,
  modelOf,
  openConversation,
  resumeConversation,
  startConversation,
} from "../../../conversations/conversation-factory.ts";
import { learnedBy, recordInjectedPatterns } from "../../../conversations/learned-patterns.ts";
import { instructionSection } from "../../../conversations/project-instructions.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { recordedState } from "../../../recorded-state.ts";
import { roleSettings } from "../../../role-settings.ts";
import { recordedRunOf } from "../../../run/recorded-runs.ts";
import { chainOf, hasContracts, orchestratorsOf, rootOf, workersBelow } from "../../../workers/hierarchy.ts";
import { gateOf } from "../../../workers/worker-limits.ts";
import { seatsOf } from "../../../workflow/run-workflow.ts";
import { checkOnce } from "../../../workspaces/check-once.ts";
import { checkOptions } from "../../../workspaces/check-options.ts";

/** What a panel judges: a run's result, or that of a phase of an orchestrator's plan. */
export interface ToJudge {
  readonly commit: string;
  /** Counted from 1. */
  readonly attempt: number;
  /** The checks' results on exactly this commit; empty: they run first. */
  readonly checks: readonly CheckResult[];
  /** The seats' job, for the screen. */
  readonly title: string;
  readonly goal: string;
  readonly orchestrator: string;
  /** Omitted: the result of the run. */
  readonly phase?: number;
  /** Lines on work that is not in it. */
  readonly missing?: readonly string[];
  /** Called with every vote, together with keeping it. */
  readonly counted: (view: ValidationView) => void;
}

/** The same commit gets the same panel after a restart. */
async function panelOfRun(
  run: Run,
  of: ToJudge,
  seats: number,
): Promise<{
  readonly panel: Panel;
  /** Evidence in addition to what every strategy shows. */
  readonly evidence: Pick<ValidationEvidence, "peers" | "comparison">;
}> {
  const { validation, models } = run.config;
  const isPhase = of.phase !== undefined;
  // Earlier runs are whole, and a phase is not.
  const isUncompared = isPhase && validation.strategy === "historical_compare";
  const strategy = isUncompared ? "dedicated_validators" : validation.strategy;
  const works = strategy === "peer_review" && seats > 1 ? await worksOf(run, of.orchestrator) : [];
  // A failed comparison must not cancel the vote.
  const comparison: Comparison | null =
    strategy === "historical_compare"
      ? await run.step(`compared/${of.attempt}/${of.commit}`, async () => comparisonOf(run))
      : null;
  const wanted = panelFor({
    strategy,
    seats,
    // Whoever chose a model for this run means all its seats.
    models: run.row.input.models.validator === undefined ? validation.models : [],
    hasDecisions: run.facts.decisions.length > 0,
    authors: authorsOf(run, works),
    earlierRuns: comparison?.earlier.length ?? 0,
  });
  const defaultModel =
    run.row.input.models.validator ?? roleSettings.validator.model(run.config, "") ?? models.default;
  const panel: Panel = {
    ...wanted,
    notes: isUncompared
      ? [
          "Validators judge a phase without a comparison, because earlier runs are complete and can't be compared with a phase.",
        ]
      : wanted.notes,
    seats: wanted.seats.map((seat) => ({
      ...seat,
      name: seatName(run, of, seat.name),
      model: seat.model ?? defaultModel,
    })),
  };
  const peers = panel.seats.flatMap(({ peer }) => peer ?? []);
  return {
    panel,
    evidence: {
      ...(peers.length === 0
        ? {}
        : { peers: Object.fromEntries(peers.map((peer) => [peer, shownTo(run, peer, works)])) }),
      ...(panel.strategy === "historical_compare" && comparison !== null ? { comparison } : {}),
    },
  };
}

/** Those of a phase have their own names, so that no vote on it is taken for one on the result. */
function seatName(run: RunReader, { orchestrator, phase }: ToJudge, name: string): string {
  if (phase === undefined) return name;
  const part = orchestrator === rootOf(run) ? "" : `-${orchestrator.replace(/^O-/u, "").toLowerCase()}`;
  return `${name}${part}-phase-${phase}`;
}

/** More of them would drown the result itself. */
const maxCompared = 5;
/** Limit of the search. */
const maxCandidates = 50;

/** Figures of how a run went; panel and score of a run under judgement are not known yet. */
const compared: readonly RunFigure[] = [
  ...(["agents", "phases", "iterations", "align_requests", "mutations", "mutation_conflicts"] as const),
  ...(["merge_conflicts", "attempts", "failed_checks"] as const),
];

/**
 * Earlier results of the repository, for judges who are to say whether this one falls behind them.
 *
 * A rehearsal is compared with rehearsals, and work with work.
 */
function comparisonOf(run: Run): Comparison {
  const rows = run.journal
    .runs()
    .filter(
      ({ id, endedAt, stage, input }) =>
        id !== run.id &&
        endedAt !== null &&
        (stage === "complete" || stage === "failed") &&
        (input.rehearsal === null) === (run.row.input.rehearsal === null),
    )
    .slice(0, maxCandidates)
    .map((row) => ({ row, goal: row.input.goal }));
  const earlier: ComparedRun[] = [];
  for (const { row } of byLikeness(run.row.input.goal, rows)) {
    if (earlier.length === maxCompared) break;
    const { validation } = recordedState(run.journal, row.id);
    // Nobody judged it: it says nothing about what is good enough here.
    if (validation === null) continue;
    const outcome = row.stage === "complete" ? "complete" : "failed";
    const approvals = validation.seats.filter(({ vote }) => vote === "approve").length;
    earlier.push({
      run: row.id,
      goal: row.input.goal,
      outcome,
      verdict: `${validation.verdict} by ${approvals} of ${validation.seats.length}`,
      figures: picked(recordedRunOf(run.journal, row, outcome).figures),
      failed: failuresOf(run, row.id),
    });
  }
  return {
    current: picked(recordedRunOf(run.journal, run.row, "complete").figures),
    earlier,
  };
}

const picked = (figures: Readonly<Record<RunFigure, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(compared.map((name) => [name, figures[name]]));

/** Why it was rejected on the way, in a line each. */
const failuresOf = ({ journal }: Run, id: string): readonly string[] =>
  journal
    .events(id)
    .flatMap(({ event }) =>
      event.kind === "StageMoved" && event.event.kind === "ValidationFailed" ? event.event.reasons : [],
    )
    .slice(0, 3)
    .map((reason) => reason.replace(/\s+/gu, " ").slice(0, 300));

/** One piece of what the result is made of, as its own change has it. */
interface Work {
  readonly by: string;
  readonly title: string;
  readonly diff: string;
}

/** Characters of one change that are read; a prompt takes the part that fits. */
const maxWorkLength = 200_000;

/** What agents, orchestrators and integrators wrote under one orchestrator; what was abandoned, or not chosen, is in no result. */
async function worksOf(run: Run, lead: string): Promise<readonly Work[]> {
  const orchestrators = orchestratorsOf(run).filter((name) => chainOf(run, name).includes(lead));
  const changes = [
    ...orchestrators.map((by) => ({ by, title: "contracts", changeId: run.orchestratorFacts(by).base })),
    ...run.facts.decisions
      .filter(({ orchestrator }) => orchestrators.includes(orchestrator))
      .map(({ orchestrator, title, changeId }) => ({ by: orchestrator, title, changeId })),
    ...workersBelow(run, lead).flatMap(({ record }) => (isAuthor(record) ? [workOf(record)] : [])),
    ...orchestrators.map((by) => ({
      by: `${by}'s integration`,
      title: "brought the tasks together",
      changeId: run.orchestratorFacts(by).integration,
    })),
  ];
  const works: Work[] = [];
  for (const { by, title, changeId } of changes) {
    if (changeId === null) continue;
    const { commitId } = await readChange(run, changeId);
    const diff = await run.repository.diff({ commit: commitId, limit: maxWorkLength });
    if (diff.trim() !== "") works.push({ by, title, diff });
  }
  return works;
}

const isAuthor = ({ role, status, changeId }: WorkerRecord): boolean =>
  roles[role].canWriteTask && status === "done" && changeId !== null;

const workOf = ({ name, title, changeId }: WorkerRecord) => ({ by: name, title, changeId });

const authorsOf = (run: RunReader, works: readonly Work[]): readonly Author[] =>
  works.flatMap(({ by, diff }) => {
    const record = run.workers.get(by)?.record;
    if (record === undefined || !isAuthor(record)) return [];
    const lines = filesOfDiff(diff).reduce((sum, { added, removed }) => sum + added.length + removed, 0);
    return [{ name: by, model: modelOf(run, by), lines }];
  });

function shownTo(run: RunReader, peer: string, works: readonly Work[]): PeerEvidence {
  const { record } = run.worker(peer);
  const planned = run.orchestratorFacts(record.parent ?? "").plan?.tasks.find(({ id }) => id === record.task);
  return {
    title: record.title,
    description: planned?.description ?? "",
    summary: record.summary,
    ownFiles: works
      .filter(({ by }) => by === peer)
      .flatMap(({ diff }) => filesOfDiff(diff).map(({ path }) => path)),
    works: works.filter(({ by }) => by !== peer),
  };
}

/** Characters of the diff that are read for the seats; of these a prompt takes the part that fits. */
export const maxDiffLength = 1_000_000;

/** Has the seats of a panel judge one commit. What was voted before a restart counts. (HOX-7.1) */
export async function judgeByPanel(
  run: Run,
  of: ToJudge,
  signal: AbortSignal,
  moved: AbortSignal,
): Promise<ValidationOutcome> {
  const { config } = run;
  const { commit, attempt, checks, title, orchestrator } = of;
  const from = await baseOf(run, orchestrator);
  const diff = await run.repository.diff({ commit, from, limit: maxDiffLength });
  const { seats, reason } = seatsOf(run, { diff, checks: checks.length, attempt: attempt - 1 });
  const { panel, evidence } = await panelOfRun(run, of, seats);
  const asSeated = (view: ValidationView): ValidationView => ({ ...view, why: reason });
  const worker = (seat: string, model: string | null = null): string => seatWorker(run, seat, title, model);
  const learned = learnedBy(run, rootOf(run), "validator");
  const places = await run.workspaces.checkouts(commit, {
    signal: run.runEnded.signal,
    setUpFor: { worker: rootOf(run), signal },
  });
  try {
    const outcome = await validate({
      ...{ commit, run: run.id, attempt, panel },
      evidence: { ...evidenceOf(run, of, diff), ...evidence },
      threshold: config.validation.consensusThreshold,
      converse(seat, key, begin) {
        const model = panel.seats.find(({ name }) => name === seat)?.model ?? null;
        const name = worker(seat, model);
        recordInjectedPatterns(run, name, learned.injected);
        return openSeat(run, name, model, key, begin, () => (signal.aborted ? "pause" : gateOf(run, null)()));
      },
      scheduler: (await run.driver()).scheduler,
      checkout: places.checkout,
      runChecks: (place, signal) =>
        checkOnce(run, { worker: rootOf(run), commit, options: () => checkOptions(run, true) }, () =>
          place
            .checks({ ...checkOptions(run, true), foundIn: run.workspaces.home() })
            .run({ iteration: 1, all: true, signal, environment: {} }),
        ),
      tell: (seat, text) => run.appendTranscript(worker(seat), { kind: "notice", text }),
      onVote(view, votes) {
        run.journal.together(() => {
          run.journal.setVotes(run.id, votes);
          of.counted(asSeated(view));
        });
        for (const seat of view.seats) {
          const name = worker(seat.seat);
          run.worker(name).recorder.flush();
          if (seat.vote !== "pending") run.setActivity(name, "done", `${seat.vote}`);
        }
      },
      signal: AbortSignal.any([run.runEnded.signal, moved]),
      earlier: { votes: run.journal.votes(run.id), checks },
      now: run.now,
      seatTimeoutMs: config.validation.seatTimeoutSeconds * 1000,
      commandTimeoutSeconds: config.loopDefaults.commandTimeoutSeconds,
      instructions: instructionSection(
        run,
        filesOfDiff(diff).map(({ path }) => path),
      ),
      learned: learned.text,
    });
    return { ...outcome, view: asSeated(outcome.view) };
  } finally {
    await places.remove();
  }
}

/** What every strategy shows. */
const evidenceOf = (
  run: RunReader,
  { goal, orchestrator, phase, missing = [] }: ToJudge,
  diff: string,
): ValidationEvidence => ({
  ...{ goal, diff, plan: planUntil(run, orchestrator, phase ?? Infinity) },
  abandoned: run
    .stateOf(orchestrator)
    .tasks.flatMap(({ task, state }) => (state === "abandoned" ? [task] : [])),
  decisions: run.facts.decisions.map(({ title, reason }) => ({ title, reason })),
  summaries: Object.fromEntries(
    [...run.workers.values()]
      .filter(({ record }) => record.summary !== "" && record.status !== "abandoned")
      .map(({ record }) => [record.name, record.summary]),
  ),
  ...(missing.length === 0 ? {} : { missing }),
});

/** The plan as far as it is carried out; contracts that were not written must not be looked for. */
function planUntil(run: RunReader, orchestrator: string, phase: number): Plan | null {
  const { plan } = run.orchestratorFacts(orchestrator);
  return plan === null
    ? null
    : {
        ...plan,
        phases: plan.phases.filter(({ number }) => number <= phase),
        tasks: plan.tasks.filter((task) => task.phase <= phase),
        ...(hasContracts(run, orchestrator) ? {} : { contracts: { ...plan.contracts, files: [] } }),
      };
}

/** The base of an orchestrator's plan. */
async function baseOf(run: Run, orchestrator: string): Promise<string> {
  const { base } = run.orchestratorFacts(orchestrator);
  const { onto } = run.facts;
  if (orchestrator === rootOf(run) && onto !== null) return onto.commitId;
  if (base === null) throw new Error(`${orchestrator} has no base change yet.`);
  return (await readChange(run, base)).commitId;
}

/**
 * A seat's conversation is bound to one checkout; another process, or a resume after a pause, opens a new
 * one.
 */
async function openSeat(
  run: Run,
  worker: string,
  model: string | null,
  key: string,
  { system, tools, checkout }: SeatConversation,
  gate: ConversationOptions["gate"],
): Promise<OpenedSeat> {
  const fileRules = { protectedFiles: [] };
  const start = await conversationFactory(run, worker, {
    ...{ system, tools, place: checkout, gate, fileRules },
    ...(model === null ? {} : { model }),
  });
  const left = openConversation(run, worker, key);
  return left
    ? {
        conversation: resumeConversation(run, worker, { ...left, conversation: null }, start),
        isResumed: true,
      }
    : { conversation: startConversation(run, worker, key, start), isResumed: false };
}

function seatWorker(run: Run, seat: string, title: string, model: string | null): string {
  run.addWorker({
    ...{ name: seat, role: "validator", parent: rootOf(run), title, status: "in_progress" },
    ...(model === null ? {} : { model }),
  });
  return seat;
}
