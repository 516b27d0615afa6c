import { roles } from "#shared/domain/worker/roles.ts";
import { workUntilDone } from "../../../agents/agents.ts";
import { settleBeforeOffer } from "../../../agents/contributions.ts";
import { taskAssignment } from "../../../agents/task-assignment.ts";
import { Interrupted } from "../../../engine-errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import { bestEffort } from "../../../kernel/best-effort.ts";
import type { Run } from "../../../ports.ts";
import { isParallelAttempt } from "../../../workers/attempts.ts";
import { applyFoldEvent, foldOf } from "../../../workers/fold.ts";
import { workerOnTask } from "../../../workers/hierarchy.ts";
import { isReplaced, untilReleased } from "../../../workers/hold-worker.ts";
import { checkFresh } from "../../../workspaces/checks-in-checkout.ts";
import { reviewFirst } from "./first-review.ts";
import { isSentToResolve } from "./fold-conflict.ts";
import { notifyAgent } from "./fold-feedback.ts";
import { mergeFold } from "./fold-merge.ts";
import { reviewByParent, reviewByPerson } from "./fold-review.ts";
import { removeFromTrunk } from "./trunk.ts";
import { waitForStableBase, waitForStableTrunk } from "./wait-for-stable-base.ts";

/**
 * One task of an orchestrator's plan: its agent, or the part that it was delegated to, works until it is done; the work
 * is checked, reviewed and merged, or sent back. Whatever was reached stands in the journal, so this begins again anywhere.
 */
export async function workOnTask(
  run: Run,
  orchestrator: string,
  task: string,
  signal: AbortSignal,
): Promise<void> {
  const worker = workerOnTask(run, orchestrator, task);
  if (!worker || worker.changeId === null) throw new Error(`Task ${task} has no change.`);
  const { name, changeId } = worker;
  try {
    await untilMerged(run, { orchestrator, task, name, changeId, signal });
  } catch (error) {
    // Called back in the middle of a check or a merge: it is as quiet as one that was called back while it thought.
    const { state } = run.worker(name);
    if (signal.aborted && ["thinking", "tools", "checking"].includes(state))
      run.setActivity(name, "paused", "");
    throw error;
  }
}

async function untilMerged(
  run: Run,
  of: {
    readonly orchestrator: string;
    readonly task: string;
    readonly name: string;
    readonly changeId: string;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { orchestrator, task, name, changeId, signal } = of;
  const assignment = taskAssignment(run, name, signal);
  await run.services.reassignment.settle(name);
  /** The round whose merged work all that follows it has followed. */
  let followed: number | null = null;
  for (;;) {
    // Given to somebody else, it begins anew with that one.
    if (signal.aborted || isReplaced(run, name) || isParallelAttempt(run, name)) throw new Interrupted();
    const { status } = run.worker(name).record;
    if (status === "abandoned") {
      applyFoldEvent(run, name, { kind: "Withdrawn" });
      run.dispatch({ kind: "TaskAbandoned", task }, orchestrator);
      return;
    }
    // Undone, or contradicted by a decision, in whatever moment: it is worked on again.
    const { stage } = foldOf(run, name).state;
    if (status !== "review" && status !== "done" && stage !== "changes-requested") {
      if (stage === "merged") await removeFromTrunk(run, name);
      applyFoldEvent(run, name, { kind: "Reopened" });
    }
    const { state, round } = foldOf(run, name);
    if (state.stage === "merged") {
      if (followed !== round) {
        followed = round;
        await followMerge(run, name, signal);
        // It may have been taken up again meanwhile.
        continue;
      }
      run.setActivity(name, "done", "");
      run.dispatch({ kind: "TaskComplete", task }, orchestrator);
      return;
    }
    if (state.stage === "open" || state.stage === "changes-requested") {
      if (roles[run.worker(name).record.role].isLead) await run.services.delegation.lead(name, signal);
      else {
        await notifyAgent(run, name);
        await workUntilDone(run, assignment);
      }
      if (signal.aborted) throw new Interrupted();
      await offer(run, name, changeId, signal);
      continue;
    }
    await untilReleased(run, name, signal);
    await waitForStableBase(run, name, signal);
    if (run.held()) throw new Interrupted();
    switch (state.stage) {
      case "checking": {
        const checks = await checkFresh(run, name, state.commit, signal);
        applyFoldEvent(run, name, { kind: "Checked", round, checks }, checks);
        break;
      }
      case "review":
        if (state.by === "first") await reviewFirst(run, name, signal);
        else if (state.by === "person") await reviewByPerson(run, name, signal);
        else await reviewByParent(run, name, signal);
        break;
      case "approved":
        await waitForStableTrunk(run, name, signal);
        await mergeFold(run, name, signal);
        break;
      case "withdrawn":
        // A task whose change came back after it was abandoned has no agent any more.
        throw new Interrupted();
      default:
        state satisfies never;
    }
  }
}

/** What capabilities do once work is merged. The run can do without. */
async function followMerge(run: Run, worker: string, signal: AbortSignal): Promise<void> {
  for (const { agents } of run.features)
    if (agents?.afterMerge) {
      const { failure, perform } = agents.afterMerge;
      await bestEffort(run, failure(worker), () => perform(run, worker, signal));
    }
}

/** Finished work is offered as the commit that it is now, once what it stands on holds still. */
async function offer(run: Run, worker: string, changeId: string, signal: AbortSignal): Promise<void> {
  await waitForStableBase(run, worker, signal);
  await settleBeforeOffer(run, { worker, changeId }, signal);
  await run.refreshChanges();
  const { status, summary } = run.worker(worker).record;
  if (status !== "review" && status !== "done") return;
  const change = await readChange(run, changeId);
  if (await isSentToResolve(run, worker, change)) return;
  applyFoldEvent(run, worker, { kind: "Offered", commit: change.commitId, summary });
}
