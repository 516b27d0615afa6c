import type { ChangeName, UndoPreview } from "#shared/contract/commands/graph.ts";
import { integratorOf } from "#shared/domain/change-metadata/address.ts";
import { parseDescription } from "#shared/domain/change-metadata/trailers.ts";
import { isOver } from "#shared/domain/run/stage-state.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { contradictedDecision } from "#shared/domain/worker/worker-record.ts";
import { type Change, joinSnapshots } from "#shared/graph/change.ts";
import type { Written } from "../../../../jj/ports/graph-writer.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import { closeConversation } from "../../../kernel/close-conversation.ts";
import type { Feature } from "../../../kernel/feature.ts";
import { warn } from "../../../kernel/notify.ts";
import { reopen } from "../../../orchestrators/messages.ts";
import type { Run, RunReader, Worker } from "../../../ports.ts";
import { parentOf } from "../../../workers/hierarchy.ts";
import { isPaused, pauseWorker, resumeWorker, retryWorker } from "../../../workers/pause-worker.ts";
import { steerableWorker } from "../../../workers/steerable.ts";
import { notifyTakenOver, rewriteBeneath } from "../../../workspaces/rewrite-beneath.ts";
import { save } from "../../../workspaces/save-workspace.ts";
import { removeFromTrunk } from "../../../workspaces/trunk.ts";
import { forgetCompliance } from "../../decisions/decisions/compliance.ts";

/** Undoes one agent's work only. */
export const undo: Feature<Run> = {
  name: "undo",
  commands: () => ({
    "run.previewUndo": (run, { worker: name }) => previewUndo(run, steerableWorker(run, name)),
    async "run.undoWorker"(run, { worker: name, afterwards }) {
      const isRunOver = isOver(run.state);
      const wasPaused = isPaused(run, name);
      const parent = parentOf(run, name);
      const stage = (): string => run.stateOf(parent).current.stage;
      const before = stage();
      if (!isRunOver) pauseWorker(run, name);
      let done: Awaited<ReturnType<typeof undoWorker>>;
      try {
        done = await undoWorker(run, steerableWorker(run, name));
        if (!isRunOver) await retryWorker(run, name);
        // It was stuck because its change was abandoned to make way for this; it comes again after the tasks.
        if (before === "integrating" && stage() === "executing") await retryWorker(run, integratorOf(parent));
      } catch (error) {
        if (!isRunOver && !wasPaused) resumeWorker(run, name);
        throw error;
      }
      if (!isRunOver && afterwards === "restart") resumeWorker(run, name);
      return { operation: done.operation };
    },
  }),
};

const operationsRead = 2000;
const operationsShown = 50;

/** A preview of `undoWorker`. The agent's current files are recorded in its change first. */
async function previewUndo(run: Run, worker: Worker): Promise<UndoPreview> {
  const { name, changeId: id } = worker.record;
  const changeId = id ?? "";
  await saveIfThere(run, worker);
  const change = await readChange(run, changeId);
  const [files, parents, dependents, operations] = await Promise.all([
    run.repository.changedFiles(change.commitId),
    run.repository.parentsOf(change.commitId),
    descendantsByUse(run, worker),
    run.repository.operations({ limit: operationsRead }),
  ]);
  const own = joinSnapshots(
    operations.filter((operation) => operation.actor === name && operation.time >= run.row.startedAt),
  );
  return {
    worker: name,
    changeId,
    title: worker.record.title,
    operations: own.slice(0, operationsShown).map((one) => ({
      id: one.id,
      time: one.time,
      description: one.description,
    })),
    operationCount: own.length,
    files,
    backTo: parents.map(nameOf),
    affected: dependents.worked.map(nameOf),
    moved: dependents.moved.map(nameOf),
    untouched: [...run.workers.values()]
      .filter(({ record }) => record.changeId !== null && !roles[record.role].isLead)
      .map(({ record }) => record.name)
      .filter((other) => other !== name)
      .filter((other) => !dependents.moved.some((one) => one.changeId === run.worker(other).record.changeId)),
    refusal: refusalOf(run, worker, change, dependents.worked),
  };
}

/**
 * Undo of one agent's work only. (design 12)
 *
 * Restores the agent's own change to its parents' content with one `jj restore --changes-in`. Reverting its
 * operations one by one would give the same files where it works. But `jj op revert` refuses merges of
 * concurrent operations, an operation that also moved other changes (a decision below, a rebase) must not be
 * reverted, and each step may leave a divergent change. A restore rewrites exactly one change: changes that
 * are not its descendants keep their commit ids. Messages, decisions, metadata and the operation log stay,
 * and the restore can be reverted like any operation.
 *
 * Undoes the agent's file changes. The agent must be paused, and the caller resumes it. Each step can restart
 * after a crash; until the restore the task is at most reopened, with its work in place.
 * @throws EngineRefusal when other work builds on it, or the run is past the point where a task can be
 *   reopened
 */
async function undoWorker(run: Run, worker: Worker): Promise<Written> {
  const { name } = worker.record;
  await refuse(run, worker);
  const { open, moved } = await descendantsByUse(run, worker);
  if (open.length === 0 && moved.length === 0)
    return run.lock.withExclusive(name, () => restore(run, worker));
  // Untouched tasks, and siblings that took it in, are descendants: their agents wait while they are
  // rewritten.
  return run.lock.withAllExclusive(() =>
    rewriteBeneath(run, { what: null }, async () => {
      const done = await restore(run, worker);
      await stepAside(run, worker);
      return done;
    }),
  );
}

/** Siblings that took it in are rebased onto its parents, and it leaves the trunk. */
async function stepAside(run: Run, { record }: Worker): Promise<void> {
  const { name, changeId } = record;
  const { moved } = await descendantsByUse(run, run.worker(name));
  if (changeId !== null && moved.length > 0) {
    const below = await run.repository.parentsOf(changeId);
    await run.repository.rebase({
      revisions: changeId,
      onto: below.map((change) => change.changeId),
      actor: "hox",
      request: `${run.id}/undo/${name}/aside`,
    });
  }
  await removeFromTrunk(run, name);
}

/** @returns the operation that restored the files; reverting it before agents resume brings them back */
async function restore(run: Run, worker: Worker): Promise<Written> {
  const { name, changeId: id, task, status } = worker.record;
  const contradicts = contradictedDecision(worker.record);
  const changeId = id ?? "";
  const unsnapshotted = await saveIfThere(run, worker);
  // Again, because the agent's last turn may have ended only now.
  await refuse(run, worker);
  // The event first: after a crash the agent resumes, and a task without files never counts as done.
  if (status === "done" && task !== null) reopen(run, name);
  run.append({ kind: "WorkReset", worker: name });
  closeConversation(run, name);
  // The files last: a later write to the change would block reverting the restore.
  await run.repository.setMetadata(
    [
      {
        change: changeId,
        patch: { status: "open", ...(contradicts === null ? {} : { msgType: null, replyTo: null }) },
      },
    ],
    { actor: "hox" },
  );
  const done = await run.repository.restore(changeId, { actor: "hox", request: `${run.id}/undo/${name}` });
  await run.workspaces.of(worker.record.name)?.updateStale({ actor: name });
  const restored = await readChange(run, changeId);
  const { control } = worker.record;
  if (control.kind === "user") {
    run.append({ kind: "TakeoverRebased", worker: name, commit: restored.commitId });
    notifyTakenOver(run, (one) => one === name, `The work of ${name} was undone.`);
  }
  forgetCompliance(run, name);
  run.append(
    // Delivered again, because its next context does not contain them.
    { kind: "MessagesDeliveredAgain", worker: name },
    { kind: "WorkUndone", worker: name, hasConflict: restored.conflict },
  );
  if (worker.record.awaitedQuestion === null)
    run.setActivity(
      name,
      isOver(run.state) ? "sleeping" : "paused",
      control.kind === "user" ? "taken over by you" : "its work was undone",
    );
  run.appendTranscript(name, { kind: "notice", text: "You undid all file changes of this agent." });
  worker.recorder.flush();
  if (unsnapshotted.length > 0)
    warn(
      run,
      `Untracked files of ${name} are still in its workspace: ${unsnapshotted.map(shownName).join(", ")}.`,
      "Delete them if the agent should not see them again.",
    );
  await run.refreshChanges();
  return done;
}

async function saveIfThere(run: Run, worker: Worker): Promise<readonly string[]> {
  const workspace = run.workspaces.of(worker.record.name);
  return workspace ? ((await save(workspace)).unsnapshotted ?? []) : [];
}

async function refuse(run: Run, worker: Worker): Promise<void> {
  await run.refreshChanges();
  const change = await readChange(run, worker.record.changeId ?? "");
  const { worked } = await descendantsByUse(run, worker);
  const refusal = refusalOf(run, worker, change, worked);
  if (refusal) throw new EngineRefusal(refusal.reason, refusal.remedy);
}

/**
 * Descendants of a worker's change: others' work, siblings that took it in and can do without it, and
 * untouched tasks or working copies.
 */
async function descendantsByUse(
  run: Run,
  worker: Worker,
): Promise<Record<"worked" | "moved" | "open", readonly Change[]>> {
  const changeId = worker.record.changeId ?? "";
  const all = await run.repository.descendantsOf(changeId);
  const full = await run.repository.changesWithFiles(all.map(({ commitId }) => commitId));
  const written = new Set<string>();
  for (const change of full) {
    // jj's `empty()` knows no empty merge of contradictions, which a workspace is left on when its change is abandoned.
    if (change.description !== "" || (await run.repository.changedFiles(change.commitId)).length > 0)
      written.add(change.commitId);
  }
  const begun = (change: Change): boolean =>
    [...run.workers.values()].some(
      ({ record }) => record.changeId === change.changeId && record.status !== "open",
    ) || change.metadata.kind === "integration";
  const worked = all.filter((change) => written.has(change.commitId) || begun(change));
  const open = all.filter((change) => !worked.includes(change));
  return (await canDoWithout(run, worker, worked))
    ? { worked: [], moved: worked, open }
    : { worked, moved: [], open };
}

/** Whether all of these only took in a worker's result, and a dry run without it causes no conflict. */
async function canDoWithout(run: Run, { record }: Worker, above: readonly Change[]): Promise<boolean> {
  if (record.changeId === null || record.task === null || above.length === 0) return false;
  const plan = run.orchestratorFacts(record.parent ?? "").plan;
  const waits = (task: string): boolean =>
    plan?.tasks.find((one) => one.id === task)?.after.some((one) => one === record.task || waits(one)) ===
    true;
  const tookItIn = above.every((change) =>
    [...run.workers.values()].some(
      ({ record: other }) =>
        other.changeId === change.changeId &&
        other.parent === record.parent &&
        other.phase === record.phase &&
        other.task !== null &&
        !waits(other.task),
    ),
  );
  if (!tookItIn) return false;
  const { operation } = await run.repository.dryRun({ kind: "restore", change: record.changeId });
  const without = await run.repository.changesOf(
    above.map(({ changeId }) => changeId),
    { operation },
  );
  return !without.some(({ conflict }) => conflict);
}

function refusalOf(
  run: RunReader,
  worker: Worker,
  change: Change,
  worked: readonly Change[],
): UndoPreview["refusal"] {
  const { name, status, role } = worker.record;
  const { current } = run.stateOf(parentOf(run, name));
  if (change.divergent || change.immutable)
    return {
      reason: `The change of ${name} is ${change.divergent ? "divergent" : "immutable: others may rely on it"}.`,
      remedy: change.divergent
        ? "Repair it with `jj converge`, then undo."
        : "Start a run that reverts the work.",
    };
  if (status === "abandoned")
    return {
      reason: `The task of ${name} was abandoned; it is not in the graph.`,
      remedy: "To restore its change, use `jj undo`.",
    };
  const integration = worked.find((one) => one.metadata.kind === "integration");
  if (integration)
    return {
      reason: `The work of ${name} is in the integration${current.stage === "complete" ? ", and the run is finished" : ""}.`,
      remedy:
        current.stage === "integrating"
          ? "Undo the integration first: abandon the integration change. Hox recreates it from the tasks."
          : isOver(run.state)
            ? "Start a run that reverts it; landed commits don't change."
            : "Reject the result or stop the run, abandon the integration change, then undo.",
    };
  const [first] = worked;
  if (first)
    return {
      reason: `${worked.length === 1 ? `“${nameOf(first).title}” builds` : `${worked.length} changes, including “${nameOf(first).title}”, build`} on the work of ${name}.`,
      remedy: "Undo or move those first, starting with the topmost.",
    };
  const reopens =
    isOver(run.state) ||
    current.stage === "executing" ||
    current.stage === "integrating" ||
    (roles[role].canWriteTask && status !== "done");
  return reopens
    ? null
    : {
        reason: `It is too late to undo the work of ${name}: the run is ${current.stage}.`,
        remedy: "Stop the run, then undo. The next run starts without this work.",
      };
}

const nameOf = (change: Change): ChangeName => ({
  changeId: change.changeId,
  title: parseDescription(change.description).subject || change.changeId.slice(0, 12),
});
