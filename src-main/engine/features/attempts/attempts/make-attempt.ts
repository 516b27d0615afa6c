/** Another agent for a task that has one: a parallel change with the same description and base. */
import {
  type AttemptOrigin,
  groupKey,
  isUndecided,
  liveAttempts,
} from "#shared/domain/attempt/attempt-events.ts";
import { assignmentBookmark } from "#shared/domain/change-metadata/address.ts";
import { rankBetween } from "#shared/domain/change-metadata/rank.ts";
import { agentAt, attemptsAt, type PlannedTask } from "#shared/domain/plan/plan.ts";
import { describeChange } from "#shared/domain/plan/task-texts.ts";
import { pending } from "#shared/domain/run/stage-actions.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import { priorityOf } from "#shared/run/state.ts";
import type { ResumeToken } from "../../../../agent/agent-interface.ts";
import { taskAssignment, workUntilDone } from "../../../agents/agent.ts";
import { can } from "../../../conversations/agent-limits.ts";
import { Interrupted } from "../../../engine-errors.ts";
import { hasUnread } from "../../../orchestrators/messages.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { attemptsWith, originOf, siblingAttempts } from "../../../workers/attempts.ts";
import { nextAgent, rootOf, workerOnTask } from "../../../workers/hierarchy.ts";
import { beginsWith } from "../../../workers/inherited-context.ts";
import { applyMergeRequestEvent } from "../../../workers/merge-request.ts";
import { requireSandbox } from "../../../workspaces/sandbox-gate.ts";

/** What an attempt begins with that does not begin at the beginning. */
export interface ForkedFrom {
  readonly origin: AttemptOrigin;
  readonly history: ResumeToken;
  readonly model: string | null;
}

/**
 * First records who tries the task; its part on the graph can be redone after a crash.
 * @param sibling the task's agent, or another attempt at it
 * @returns the name of the new agent
 */
export function addAttempt(run: Run, sibling: WorkerRecord, forked: ForkedFrom | null): string {
  const { parent, task } = sibling;
  if (parent === null || task === null) throw new Error(`${sibling.name} has no task.`);
  const first = workerOnTask(run, parent, task) ?? sibling;
  const nth = 1 + (attemptsWith(run, first.name)?.attempts.length ?? 1);
  const planned = plannedTask(run, sibling);
  const worker = nextAgent(run);
  run.journal.together(() => {
    run.append(
      {
        kind: "WorkerJoined",
        worker,
        record: {
          name: worker,
          role: "agent",
          parent,
          task,
          title: sibling.title,
          phase: sibling.phase,
          rank: rankAfter(run, first),
          model: forked === null ? planned && agentAt(planned, nth) : (forked.model ?? sibling.model),
        },
      },
      {
        kind: "AttemptAdded",
        orchestrator: parent,
        task,
        first: first.name,
        attempt: worker,
        origin: forked?.origin ?? null,
      },
    );
    const history = forked?.history ?? beginsWith(run, first.name);
    if (history) run.journal.keepHistory(run.id, worker, 0, history);
    if (forked === null && history !== null && first.inherits !== null && can(run, worker, "inherit"))
      run.append({ kind: "ContextChosen", worker, from: first.inherits.from });
    // Work that was on its way waits again, for it is one of several now.
    applyMergeRequestEvent(run, first.name, { kind: "Reopened" });
  });
  withdrawReview(run, first.name);
  return worker;
}

const plannedTask = (run: RunReader, { parent, task }: WorkerRecord): PlannedTask | null =>
  run.orchestratorFacts(parent ?? "").plan?.tasks.find(({ id }) => id === task) ?? null;

/** Right after the attempts that there are, and before whatever comes next in the queue. */
function rankAfter(run: RunReader, first: WorkerRecord): string {
  const sibling = [first.name, ...siblingAttempts(run, first.name)];
  const records = [...run.workers.values()].map(({ record }) => record);
  const last = records
    .filter(({ name }) => sibling.includes(name))
    .reduce((highest, { rank }) => (rank > highest ? rank : highest), first.rank);
  const next = records.map(({ rank }) => rank).filter((rank) => rank > last);
  return last === "" ? "" : rankBetween(last, next.toSorted()[0] ?? null);
}

/**
 * Work that is one of several attempts is not reviewed, even if the attempt has not started again after a
 * restart.
 */
export const withdrawReview = (run: Run, worker: string): void =>
  run.inbox.withdraw(
    (item) => item.kind === "merge-request" && item.from === worker,
    "It is one of several attempts now.",
  );

/** Attempts that have no change yet. */
export const withoutChange = (run: RunReader): readonly string[] =>
  Object.values(run.facts.attempts).flatMap(({ attempts, choice }) =>
    choice !== null
      ? []
      : attempts.flatMap(({ worker, isOut }) =>
          !isOut && run.workers.get(worker)?.record.changeId === null ? [worker] : [],
        ),
  );

/** Puts an attempt on the graph, as a sibling of the task's change. Idempotent. */
export function createChange(run: Run, name: string): Promise<void> {
  return run.serial.run(`attempt/${name}`, async () => {
    const { record } = run.worker(name);
    const { parent, task } = record;
    if (record.changeId !== null || parent === null || task === null) return;
    const leader = workerOnTask(run, parent, task);
    if (leader?.changeId == null) throw new Error(`Task ${task} has no change.`);
    await run.refreshChanges();
    const made = [...run.changes.values()].find(
      ({ metadata }) => metadata.kind === "task" && metadata.agent === name,
    );
    const changeId = made?.changeId ?? (await newChange(run, record, leader.changeId));
    await run.repository.setBookmark(assignmentBookmark(parent, name), changeId, {
      allowBackwards: true,
      actor: "hox",
    });
    run.append({ kind: "ChangeAssigned", worker: name, changeId });
    await run.refreshChanges();
  });
}

async function newChange(run: Run, record: WorkerRecord, sibling: string): Promise<string> {
  const { name, parent, title, rank, phase } = record;
  const planned = plannedTask(run, record);
  const parents = (await run.repository.parentsOf(sibling)).map(({ changeId }) => changeId);
  const priority = priorityOf(run.facts, name);
  const description = describeChange(planned?.title ?? title, planned?.description ?? "", {
    kind: "task",
    status: "open",
    ...(priority === null ? {} : { priority }),
    rank,
    run: run.id,
    orchestrator: parent ?? "",
    agent: name,
    phase,
  });
  const mark = { actor: "hox", request: `${run.id}/attempt/${name}` };
  const commit = originOf(run, name)?.commit ?? null;
  const { changeId } =
    commit === null
      ? await run.repository.newChange({ parents, description, ...mark })
      : await run.repository.duplicate({ commit, parents, description, ...mark });
  return changeId;
}

/** A task of the plan that is to be tried more often than it is by now. */
export interface DesiredAttempt {
  readonly id: string;
  readonly worker: string;
}

/** Tasks that are ready and are to be tried several times, one more of each at a time. */
export function desiredAttempts(run: RunReader, isWanted: (orchestrator: string, task: string) => boolean) {
  return Object.keys(run.facts.orchestrators).flatMap((orchestrator): readonly DesiredAttempt[] =>
    (run.orchestratorFacts(orchestrator).plan?.tasks ?? []).flatMap((task) => {
      const wanted = attemptsAt(task);
      if (wanted < 2) return [];
      if (!isWanted(orchestrator, task.id)) return [];
      const group = run.facts.attempts[groupKey(orchestrator, task.id)];
      const there = group?.attempts.length ?? 1;
      const worker = workerOnTask(run, orchestrator, task.id);
      if (there >= wanted || (group?.choice ?? null) !== null || worker?.changeId == null) return [];
      if (worker.mergeRequest?.state.stage === "merged") return [];
      return [{ id: `attempt/${orchestrator}/${task.id}/${there + 1}`, worker: worker.name }];
    }),
  );
}

/**
 * Parallel attempts: they work like the task's own agent until they have a result.
 *
 * Whether a task has begun and is not done, according to the stages of all orchestrators above it. A pause
 * does not matter.
 */
export function isTaskOpen(run: RunReader, orchestrator: string, task: string): boolean {
  const isPending = pending({ ...run.stateOf(orchestrator), pause: "none" }).some(
    (action) => action.kind === "SpawnTaskAgent" && action.task === task,
  );
  if (!isPending || orchestrator === rootOf(run)) return isPending;
  const { parent, task: part } = run.worker(orchestrator).record;
  return parent !== null && part !== null && isTaskOpen(run, parent, part);
}

/** Parallel attempts that should be working now. */
export const activeParallelAttempts = (run: RunReader): readonly string[] =>
  Object.values(run.facts.attempts).flatMap((group) => {
    const { orchestrator, task, leader } = group;
    if (!isUndecided(group) || !isTaskOpen(run, orchestrator, task)) return [];
    return liveAttempts(group).flatMap(({ worker }) => {
      const record = run.workers.get(worker)?.record;
      return worker === leader || !record || record.changeId === null || isWaiting(run, record)
        ? []
        : [worker];
    });
  });

/** It has a result and no new message since. */
const isWaiting = (run: RunReader, { name, status }: WorkerRecord): boolean =>
  isFinished(status) && !hasUnread(run, name, []);

/** An attempt that receives a message before the choice reads it first. */
export function readFirst(run: Run, worker: string): void {
  if (isFinished(run.worker(worker).record.status) && hasUnread(run, worker, []))
    run.append({ kind: "WorkReopened", worker });
}

/** It has something to offer. */
export const isFinished = (status: string): boolean => status === "review" || status === "done";

/** Works until it is done, or is not wanted any more. */
export async function runParallelAttempt(run: Run, worker: string): Promise<void> {
  const own = new AbortController();
  const isOver = new AbortController();
  const isWanted = (): boolean => !run.isPausedOrOver() && activeParallelAttempts(run).includes(worker);
  run.waiters
    .until(() => !isWanted(), isOver.signal)
    .then(
      () => own.abort(new Interrupted()),
      () => own.abort(new Interrupted()),
    );
  try {
    await requireSandbox(run);
    readFirst(run, worker);
    await workUntilDone(run, taskAssignment(run, worker, own.signal));
    if (!isWanted()) run.setActivity(worker, "waiting", "waiting for the other attempts or your choice");
  } catch (error) {
    const { state } = run.worker(worker);
    if (own.signal.aborted && ["thinking", "tools", "checking", "waiting", "sleeping"].includes(state))
      run.setActivity(worker, "paused", "");
    throw error;
  } finally {
    isOver.abort();
  }
}
