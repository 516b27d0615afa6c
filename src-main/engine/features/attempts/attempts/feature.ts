import type { AttemptOnCard } from "#shared/contract/cards/attempts.ts";
import type { AttemptComparison, AttemptView } from "#shared/contract/commands/worker.ts";
import {
  type AttemptGroup,
  groupKey,
  isUndecided,
  liveAttempts,
} from "#shared/domain/attempt/attempt-events.ts";
import { cutDiff, statOf } from "#shared/domain/files/diff.ts";
import { nothingSpent, totalTokens } from "#shared/domain/spending/usage.ts";
import { attemptGroupView } from "#shared/run/view.ts";
import { modelOf } from "../../../conversations/conversation-factory.ts";
import { Interrupted } from "../../../engine-errors.ts";
import { background, type Feature } from "../../../kernel/feature.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { isParallelAttempt, isSetAside, waitsForChoice } from "../../../workers/attempts.ts";
import {
  abandonOthers,
  choose,
  groupNamed,
  importUndoneChoices,
  undoChoice,
  undoChoiceBy,
  unsettledChoices,
} from "./choose.ts";
import { fork, previewFork } from "./fork.ts";
import {
  activeParallelAttempts,
  addAttempt,
  createChange,
  desiredAttempts,
  isFinished,
  isTaskOpen,
  readFirst,
  runParallelAttempt,
  withoutChange,
} from "./make-attempt.ts";

interface AskedChoice {
  /** Another one whenever other attempts have ended, or once more. */
  readonly id: string;
  readonly key: string;
}

/** Tasks of which every attempt has something to offer or got stuck, and at least one has. */
const choicesToAsk = (run: RunReader): readonly AskedChoice[] =>
  Object.values(run.facts.attempts).flatMap((group) => {
    const { orchestrator, task, choices } = group;
    if (!isUndecided(group) || !isTaskOpen(run, orchestrator, task)) return [];
    const live = liveAttempts(group).flatMap(({ worker }) => run.workers.get(worker)?.record ?? []);
    const finished = live.filter(({ status }) => isFinished(status));
    const isOver = live.every(({ status, blocked }) => isFinished(status) || blocked !== null);
    if (finished.length === 0 || !isOver) return [];
    const key = groupKey(orchestrator, task);
    const which = live
      .map(({ name, iteration, blockCount }) => `${name}.${iteration}.${blockCount}`)
      .join("+");
    return [{ id: `choose/${key}/${choices}/${which}`, key }];
  });

/**
 * When all attempts at a task have ended, the user chooses one. Shows the card, withdraws it when it is
 * obsolete, and applies the answer.
 */
async function askChoice(run: Run, { id, key }: AskedChoice): Promise<void> {
  const card = `${run.id}/${id}`;
  const answered = new AbortController();
  void run.waiters
    .until(() => !choicesToAsk(run).some((one) => one.id === id), answered.signal)
    .then(
      () => run.inbox.withdraw((item) => item.id === card, "It was decided, or another attempt started."),
      () => undefined,
    );
  const answer = await run.inbox
    .ask(card, async () => {
      const group = run.facts.attempts[key];
      if (!group) throw new Error(`${key} has no attempts.`);
      const { orchestrator, task, leader } = group;
      return {
        kind: "attempts",
        orchestrator,
        task,
        title: run.worker(leader).record.title,
        attempts: await attemptsOnCard(run, group),
      };
    })
    .finally(() => answered.abort());
  if (answer.kind === "choose" && run.facts.attempts[key]?.choice === null) await choose(run, answer.worker);
}

/** Longer diffs are cut: a comparison is looked at, not read out. */
const maxDiffLength = 400_000;

/**
 * The attempts at one task side by side.
 *
 * As saved last; of those that were not chosen what is still known of them.
 */
async function compareAttempts(
  run: Run,
  group: AttemptGroup,
  against: string | null,
): Promise<AttemptComparison> {
  const view = attemptGroupView(run.facts, group);
  const from = group.attempts.some(({ worker }) => worker === against) ? await commitOf(run, against) : null;
  return {
    group: view,
    attempts: await Promise.all(
      group.attempts.map(({ worker, origin }, at) =>
        attemptView(run, worker, { nth: at + 1, origin, isOut: view.attempts[at]?.isOut ?? false }, from),
      ),
    ),
  };
}

async function commitOf(run: Run, worker: string | null): Promise<string | null> {
  const { changeId = null } = run.workers.get(worker ?? "")?.record ?? {};
  return changeId === null ? null : ((await run.repository.change(changeId))?.commitId ?? null);
}

async function attemptView(
  run: Run,
  name: string,
  place: Pick<AttemptView, "nth" | "origin" | "isOut">,
  from: string | null,
): Promise<AttemptView> {
  const worker = run.worker(name);
  const { record } = worker;
  const commit = await commitOf(run, name);
  const diff =
    commit === null || commit === from
      ? ""
      : await run.repository.diff({ commit, limit: maxDiffLength, ...(from === null ? {} : { from }) });
  const shown = cutDiff(diff, maxDiffLength);
  const { usage, microDollars } = run.spending.byWorker.get(name) ?? nothingSpent;
  return {
    worker: name,
    ...place,
    model: modelOf(run, name),
    status: record.status,
    activity: worker.activity,
    iteration: record.iteration,
    summary: record.summary,
    diff: shown.diff,
    isDiffCut: shown.isCut,
    checks: record.checks,
    reviews: record.mergeRequest?.reviews ?? [],
    microDollars,
    ...(record.unmetered === null ? {} : { isUnmetered: true }),
    tokens: totalTokens(usage),
    ms: Object.values(run.metrics.of(name).msByPhase).reduce((sum, ms) => sum + ms, 0),
  };
}

/** The same for the card, with its current values. */
async function attemptsOnCard(run: Run, group: AttemptGroup): Promise<readonly AttemptOnCard[]> {
  const { attempts } = await compareAttempts(run, group, null);
  return attempts
    .filter(({ isOut }) => !isOut)
    .map(({ worker, nth, model, summary, diff, checks, iteration, microDollars, isUnmetered, ms }) => ({
      worker,
      nth,
      model,
      summary,
      files: statOf(diff),
      checks,
      iterations: iteration,
      microDollars,
      ...(isUnmetered ? { isUnmetered } : {}),
      ms,
      isStuck: run.worker(worker).record.blocked !== null,
    }));
}

/** Several attempts at one task, of which the user chooses one. (HYLO-3) */
export const attempts: Feature<Run> = {
  name: "attempts",
  commands: () => ({
    "attempt.previewFork": previewFork,
    async "attempt.fork"(run, asked) {
      return { worker: await fork(run, asked) };
    },
    "attempt.compare": (run, { worker, against }) => compareAttempts(run, groupNamed(run, worker), against),
    "attempt.choose": (run, { worker }) => choose(run, worker),
    "attempt.undoChoice": (run, { worker }) => undoChoice(run, worker),
  }),
  undoOperation: ({ allGoing }, operation) => undoChoiceBy(allGoing(), operation),
  agents: {
    gate: {
      name: "attempts",
      isClosed: isSetAside,
      async pass(run, worker) {
        if (isSetAside(run, worker)) throw new Interrupted();
        return false;
      },
    },
    async beforeOffer(run, { worker }, signal) {
      if (!waitsForChoice(run, worker)) return;
      run.setActivity(worker, "waiting", "waiting for the other attempts or your choice");
      await run.waiters.until(() => {
        readFirst(run, worker);
        // Undone, contradicted or with a new message, it is worked on again before the choice.
        const isOffered = isFinished(run.worker(worker).record.status);
        return !isOffered || !waitsForChoice(run, worker) || isParallelAttempt(run, worker);
      }, signal);
      if (isParallelAttempt(run, worker)) throw new Interrupted();
    },
  },
  background: [
    background({
      desired: (run: Run) =>
        desiredAttempts(run, (orchestrator, task) => isTaskOpen(run, orchestrator, task)),
      async perform(run, { worker }) {
        addAttempt(run, run.worker(worker).record, null);
      },
      failure: () => ({ title: "A task could not be tried again" }),
    }),
    background({
      desired: (run: Run) => withoutChange(run).map((worker) => ({ id: `attempt-change/${worker}`, worker })),
      perform: (run, { worker }) => createChange(run, worker),
      failure: ({ worker }) => ({ title: "An attempt could not start", worker }),
    }),
    background({
      desired: (run: Run) =>
        activeParallelAttempts(run).map((worker) => ({ id: `beside/${worker}`, worker })),
      perform: (run, { worker }) => runParallelAttempt(run, worker),
      failure: ({ worker }) => ({ title: "An agent failed", worker, isAsked: true }),
    }),
    background({
      desired: choicesToAsk,
      perform: askChoice,
      failure: () => ({ title: "You could not be asked to choose an attempt" }),
    }),
    background({
      desired: (run: Run) => unsettledChoices(run).map((key) => ({ id: `abandon-others/${key}`, key })),
      perform: (run, { key }) => abandonOthers(run, key),
      failure: () => ({
        title: "Attempts that were not chosen could not be abandoned",
      }),
      runsWhilePaused: true,
    }),
  ],
  onGraph: (run) => () => importUndoneChoices(run),
};
