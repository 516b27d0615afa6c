/** Another agent for a task that has one: a parallel change with the same description and base. */
import { type AttemptOrigin, groupKey } from "#shared/domain/attempt/attempt-events.ts";
import { assignmentBookmark } from "#shared/domain/graph-words/address.ts";
import { rankBetween } from "#shared/domain/graph-words/rank.ts";
import { describeChange } from "#shared/domain/plan/task-words.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import { priorityOf } from "#shared/run/state.ts";
import type { ResumeToken } from "../../../../agent/agent-interface.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { originOf, siblingAttempts } from "../../../workers/attempts.ts";
import { applyFoldEvent } from "../../../workers/fold.ts";
import { nextAgent, workerOnTask } from "../../../workers/hierarchy.ts";
import { beginsWith } from "../../../workers/inherited-context.ts";

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
          model: forked?.model ?? (forked === null ? null : sibling.model),
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
    if (forked === null && history !== null && first.inherits !== null)
      run.append({ kind: "ContextChosen", worker, from: first.inherits.from });
    // Work that was on its way waits again, for it is one of several now.
    applyFoldEvent(run, first.name, { kind: "Reopened" });
  });
  withdrawReview(run, first.name);
  return worker;
}

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
    (item) => item.kind === "fold" && item.from === worker,
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
  const { name, parent, task, title, rank, phase } = record;
  const planned = run.orchestratorFacts(parent ?? "").plan?.tasks.find(({ id }) => id === task);
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
      if (!task.attempts || task.attempts < 2 || task.delegate === true) return [];
      if (!isWanted(orchestrator, task.id)) return [];
      const group = run.facts.attempts[groupKey(orchestrator, task.id)];
      const there = group?.attempts.length ?? 1;
      const worker = workerOnTask(run, orchestrator, task.id);
      if (there >= task.attempts || (group?.choice ?? null) !== null || worker?.changeId == null) return [];
      if (worker.fold?.state.stage === "merged") return [];
      return [{ id: `attempt/${orchestrator}/${task.id}/${there + 1}`, worker: worker.name }];
    }),
  );
}
