import { integratorOf } from "#shared/domain/change-metadata/address.ts";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { isGreen } from "#shared/domain/merge-request/merge-request.ts";
import { isOver } from "#shared/domain/run/stage-state.ts";
import { promptLine, section } from "#shared/domain/text/prompt-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { mergedSidesOf } from "#shared/domain/worker/worker-record.ts";
import type { Change } from "#shared/graph/change.ts";
import { structuredTool } from "../../../../tools/tool-interface.ts";
import { settleBeforeOffer, taskAssignment, workUntilDone } from "../../../agents/agent.ts";
import { Interrupted } from "../../../engine-errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import { holdsOther } from "../../../graph-sync/while-unmoved.ts";
import { bestEffort } from "../../../kernel/best-effort.ts";
import type { Feature } from "../../../kernel/feature.ts";
import { hasUnread } from "../../../orchestrators/messages.ts";
import type { Run } from "../../../ports.ts";
import { isParallelAttempt } from "../../../workers/attempts.ts";
import { parentOf, workerOnTask } from "../../../workers/hierarchy.ts";
import { applyMergeRequestEvent, mergeRequestOf, requestLines } from "../../../workers/merge-request.ts";
import { isReplaced, waitUntilResumed } from "../../../workers/pause-worker.ts";
import { checkFresh, notePassed } from "../../../workspaces/check-options.ts";
import { requireSandbox } from "../../../workspaces/sandbox-gate.ts";
import {
  extendTrunk,
  isReopened,
  rebaseOntoTrunk,
  removeFromTrunk,
  trunkOf,
} from "../../../workspaces/trunk.ts";
import { markMerge } from "../../decisions/conflicts/conflict-causes.ts";
import { hooksAfterMerge } from "../../landing/user-hooks/feature.ts";
import { waitForContracts } from "../../planning/contracts/feature.ts";
import { settleAssignment } from "../../steering/reassignment/feature.ts";
import { notifyAgent, reviewFirst } from "./first-review.ts";
import { isCheckedWithResult, leaveToValidators } from "./leave-to-validators.ts";
import { waitForTurn } from "./merge-order.ts";
import { approvalShape, requestChangesTool, reviewByParent, reviewByUser } from "./review.ts";
import { workTools } from "./work-tools.ts";

/** Each task of a plan from work through review to merge. */
export const mergeRequests: Feature<Run> = {
  name: "merge-requests",
  stageActions: {
    SpawnTaskAgent: {
      title: "An agent failed",
      async perform(run, { orchestrator, action }, signal) {
        await requireSandbox(run);
        await workOnTask(run, orchestrator, action.task, signal);
      },
    },
  },
  agents: {
    gate: {
      name: "merge-requests",
      async pass(run, worker, signal) {
        await waitForStableBase(run, worker, signal);
        // The last before a place is asked for: what else came up is met at the turn boundary.
        return false;
      },
    },
    prompt: {
      "merge-requests": (run, { worker }) => [
        section("Changes requested", requestLines(run, worker)),
        section(
          "Came in from others",
          (run.worker(worker).record.trunkSync?.updates ?? []).map((one) => promptLine`- ${one}`),
        ),
      ],
    },
  },
  orchestratorTools: [
    ...workTools,
    {
      name: "approve_merge_request",
      answers: { "merge request ready": 1 },
      make: () =>
        structuredTool(
          "approve_merge_request",
          "Accepts an agent's finished work. It is merged, and its siblings build on it. Use it when the work does its task and nothing else.",
          approvalShape,
        ),
    },
    {
      name: "request_changes",
      answers: { "merge request ready": 2 },
      make: requestChangesTool,
    },
  ],
};

/**
 * Waits while contracts or work below this one are corrected by their author: its files have the conflict
 * meanwhile, and anything built on it would be redone.
 */
async function waitForStableBase(run: Run, worker: string, signal: AbortSignal): Promise<void> {
  await waitForContracts(run, worker, signal);
  const { changeId } = run.worker(worker).record;
  const parent = parentOf(run, worker);
  const unsettled = isReopened(run, parent).filter(({ name }) => name !== worker);
  if (changeId === null || unsettled.length === 0) return;
  const below = await run.repository.ancestorsAmong(
    unsettled.flatMap((one) => one.changeId ?? []),
    changeId,
  );
  const names = unsettled
    .filter((one) => below.some((change) => change.changeId === one.changeId))
    .map(({ name }) => name);
  if (names.length === 0) return;
  run.setActivity(worker, "waiting", `waiting for corrections to the work of ${names.join(", ")}`);
  await run.waiters.until(() => !isReopened(run, parent).some(({ name }) => names.includes(name)), signal);
}

/** Nothing is merged into a trunk while a part of it is being corrected, except that part itself. */
async function waitForStableTrunk(run: Run, worker: string, signal: AbortSignal): Promise<void> {
  const parent = parentOf(run, worker);
  const { changeId } = run.worker(worker).record;
  const holds = (): boolean =>
    trunkOf(run, parent).includes(changeId ?? "") || isReopened(run, parent).length === 0;
  if (holds()) return;
  run.setActivity(worker, "waiting", "waiting for corrections to merged work");
  await run.waiters.until(holds, signal);
}

/**
 * One task of an orchestrator's plan: its agent or part works until it is done; the work is checked, reviewed
 * and merged, or sent back. All progress is in the journal, so this can restart at any point.
 */
async function workOnTask(run: Run, orchestrator: string, task: string, signal: AbortSignal): Promise<void> {
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
  await settleAssignment(run, name);
  /** The round whose merged work all that follows it has followed. */
  let followed: number | null = null;
  for (;;) {
    // If reassigned, it restarts with the new agent.
    if (signal.aborted || isReplaced(run, name) || isParallelAttempt(run, name)) throw new Interrupted();
    const { status } = run.worker(name).record;
    if (status === "abandoned") {
      applyMergeRequestEvent(run, name, { kind: "Withdrawn" });
      run.dispatch({ kind: "TaskAbandoned", task }, orchestrator);
      return;
    }
    // Undone, or contradicted by a decision, in whatever moment: it is worked on again.
    const { stage } = mergeRequestOf(run, name).state;
    if (status !== "review" && status !== "done" && stage !== "changes-requested") {
      if (stage === "merged") await removeFromTrunk(run, name);
      applyMergeRequestEvent(run, name, { kind: "Reopened" });
    }
    const { state, round } = mergeRequestOf(run, name);
    if (state.stage === "merged") {
      if (followed !== round) {
        followed = round;
        await bestEffort(run, `The hooks that follow the merged work of ${name} could not run`, () =>
          hooksAfterMerge(run, name, signal),
        );
        // It may have been taken up again meanwhile.
        continue;
      }
      run.setActivity(name, "done", "");
      run.dispatch({ kind: "TaskComplete", task }, orchestrator);
      return;
    }
    if (state.stage === "open" || state.stage === "changes-requested") {
      if (roles[run.worker(name).record.role].isLead) await leadDelegatedRun(run, name, signal);
      else {
        await notifyAgent(run, name);
        await workUntilDone(run, assignment);
      }
      if (signal.aborted) throw new Interrupted();
      await offer(run, name, changeId, signal);
      continue;
    }
    await waitUntilResumed(run, name, signal);
    await waitForStableBase(run, name, signal);
    if (run.isPausedOrOver()) throw new Interrupted();
    switch (state.stage) {
      case "checking": {
        const checks = await checkFresh(run, name, state.commit, signal);
        applyMergeRequestEvent(run, name, { kind: "Checked", round, checks }, checks);
        break;
      }
      case "review":
        if (state.by === "first") await reviewFirst(run, name, signal);
        else if (state.by === "user") await reviewByUser(run, name, signal);
        else if (!(await leaveToValidators(run, name))) await reviewByParent(run, name, signal);
        break;
      case "approved":
        await waitForStableTrunk(run, name, signal);
        await mergeMergeRequest(run, name, signal);
        break;
      case "withdrawn":
        // A task whose change came back after it was abandoned has no agent any more.
        throw new Interrupted();
      default:
        state satisfies never;
    }
  }
}

/**
 * Runs a delegated task: its orchestrator plans it, has it done and merges it (HOX-3.1); then the result
 * waits for review as an agent's would. The part's own stages are separate work (see `runtime.ts`), so after
 * a restart both resume.
 */
async function leadDelegatedRun(run: Run, name: string, signal: AbortSignal): Promise<void> {
  const { changeId } = run.worker(name).record;
  if (run.stateOf(name).current.stage === "idle")
    run.dispatch(
      {
        kind: "StartOrchestration",
        part: true,
        limits: { repairRounds: 0, autoAdvance: run.config.loopDefaults.autoAdvance },
      },
      name,
    );
  sendBack(run, name);
  await run.waiters.until(() => isOver(run.stateOf(name)), signal);
  if (run.isPausedOrOver()) throw new Interrupted();
  if (run.stateOf(name).current.stage !== "complete") {
    // Every task of the part was abandoned, so nothing of it is left to do.
    await run.repository.abandon(changeId ?? "", { actor: "hox", request: `${run.id}/${name}/abandon` });
    await run.refreshChanges();
    return;
  }
  const { summary } = run.worker(integratorOf(name)).record;
  run.append({ kind: "MergeRequested", worker: name, summary });
}

/**
 * Problems of a part's result, found by its parent, the user or the checks, are repaired by its integrator.
 * Sent once for each round.
 */
function sendBack(run: Run, name: string): void {
  const { state, round } = mergeRequestOf(run, name);
  const key = `${name}/sent-back/${round}`;
  if (state.stage !== "changes-requested" || run.journal.step(run.id, key)) return;
  // The first of these events decides whether anything is repaired; the notification is not an event.
  run.journal.together(() => {
    run.dispatch({ kind: "ValidationFailed", reasons: requestLines(run, name) }, name);
    if (!isOver(run.stateOf(name))) run.append({ kind: "WorkReset", worker: integratorOf(name) });
    run.journal.setStep(run.id, key, true);
  });
}

/**
 * Merges approved work, or sends it back if it fails the checks on the trunk. One at a time for each
 * orchestrator, so that each is checked on what was merged before. Can restart at any point. (HYLO-8)
 */
function mergeMergeRequest(run: Run, worker: string, signal: AbortSignal): Promise<void> {
  return run.serial.run(`merge/${parentOf(run, worker)}`, async () => {
    if (signal.aborted || run.isPausedOrOver()) throw new Interrupted();
    const { state, round } = mergeRequestOf(run, worker);
    if (state.stage !== "approved") return;
    if (hasUnread(run, worker, [])) {
      // The user's messages meanwhile are kept; the agent reads them with its next prompt.
      applyMergeRequestEvent(run, worker, {
        kind: "Reviewed",
        review: { round, by: "user", verdict: "changes", words: "" },
      });
      return;
    }
    run.setActivity(worker, "checking", "is merged");
    const { place } = await run.lock.withShared(worker, () => rebaseOntoTrunk(run, worker, "with-conflicts"));
    const changeId = run.worker(worker).record.changeId ?? "";
    const change = await readChange(run, changeId);
    if (await isSentToResolve(run, worker, change)) return;
    if (change.conflict) {
      const failed = await mergeCheck(run, worker, change);
      applyMergeRequestEvent(run, worker, { kind: "Checked", round, checks: [failed] }, [failed]);
      return;
    }
    const { commitId } = change;
    if (!(await holdsThere(run, worker, state.commit, commitId, signal))) return;
    await run.lock.withShared(worker, async () => {
      // A decision may have come between: then it is looked at again, on that ground.
      if (mergeRequestOf(run, worker).state.stage !== "approved") return;
      const now = await readChange(run, changeId);
      if (now.commitId !== commitId && (await holdsOther(run, now.commitId, commitId))) return;
      await run.repository.setMetadata([{ change: changeId, patch: { status: "done" } }], {
        actor: worker,
        canWait: true,
      });
      await run.refreshChanges();
      // The resulting merge request decides on its dependents.
      run.journal.together(() => {
        const merged = applyMergeRequestEvent(run, worker, { kind: "Merged", round, place });
        if (merged.state.stage === "merged" && place === "trunk") extendTrunk(run, worker);
        if (merged.state.stage === "merged") notePassed(run, merged.checks, "result");
      });
    });
  });
}

/**
 * An agent whose change is in conflict resolves it before its work is offered or merged: it knows both sides
 * best, and the integrator would meet the same conflict below all other work. A part has its own integrator.
 * (HOX-5.1, HYLO-8)
 * @returns whether it has to work on it again
 */
async function isSentToResolve(run: Run, worker: string, change: Change): Promise<boolean> {
  const { role } = run.worker(worker).record;
  if (!change.conflict || !roles[role].canWriteTask) return false;
  // The mark records the cause; one that a decision set is kept.
  if (run.worker(worker).record.conflict === null) await markMerge(run, [worker]);
  // Undone or abandoned meanwhile, it has nothing to resolve.
  const { status } = run.worker(worker).record;
  if (status === "review" || status === "done")
    run.append({ kind: "WorkReopened", worker }, { kind: "MergeConflictFound", worker });
  return true;
}

/** A part that conflicts with merged work goes back to its own integrator, as after a failed check. */
async function mergeCheck(run: Run, worker: string, { commitId }: Change): Promise<CheckResult> {
  const files = (await run.repository.conflictedFiles(commitId)).map(({ path }) => shownName(path));
  const sides = mergedSidesOf(run.worker(worker).record).map((side) => side.worker);
  const meets = sides.length === 0 ? "merged work" : `the merged work of ${sides.join(", ")}`;
  return {
    name: `merging with ${meets} in ${files.join(", ")}`,
    ...{ command: "", speed: "fast", outcome: "failed", ms: 0 },
    output: `The result of ${worker} conflicts with ${meets}. Its change is on top of both now: bring them together.`,
  };
}

/** Whether the checks pass on the files as they are now; they are run again only when those are not what was checked. */
async function holdsThere(
  run: Run,
  worker: string,
  checked: string,
  commit: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { state, checks, round } = mergeRequestOf(run, worker);
  // The user has approved it in spite of its failures.
  if (state.stage === "approved" && state.by === "user" && !isGreen(checks)) return true;
  if (commit === checked || isCheckedWithResult(run, worker)) return true;
  if (!(await holdsOther(run, commit, checked))) return true;
  const results = await checkFresh(run, worker, commit, signal);
  applyMergeRequestEvent(run, worker, { kind: "Checked", round, checks: results }, results);
  return isGreen(results);
}

/**
 * Offers finished work as its current commit, once its base is stable and it is its turn. It comes onto the trunk first:
 * a conflict is resolved before anyone checks or reviews the work.
 */
async function offer(run: Run, worker: string, changeId: string, signal: AbortSignal): Promise<void> {
  await waitForStableBase(run, worker, signal);
  await settleBeforeOffer(run, { worker, changeId }, signal);
  await run.refreshChanges();
  await waitForTurn(run, worker, signal);
  const { status, summary, role } = run.worker(worker).record;
  if (status !== "review" && status !== "done") return;
  if (roles[role].canWriteTask && run.worker(worker).record.conflict === null)
    await run.lock.withShared(worker, () => rebaseOntoTrunk(run, worker, "with-conflicts"));
  const change = await readChange(run, changeId);
  if (await isSentToResolve(run, worker, change)) return;
  applyMergeRequestEvent(run, worker, { kind: "Offered", commit: change.commitId, summary });
}
