import { outcomeText } from "#shared/domain/project/preflight.ts";
import { pathLines, promptLine, quoteText } from "#shared/domain/text/prompt-text.ts";
import { waitsForPlace } from "#shared/domain/worker/roles.ts";
import type { LoopEnd } from "../../agent/loop.ts";
import { Interrupted } from "../engine-errors.ts";
import type { MergeCandidate } from "../kernel/agent-work.ts";
import { gates } from "../kernel/gates.ts";
import type { Assignment, Run, RunReader } from "../ports.ts";
import { pendingTrouble, trouble } from "../trouble/trouble.ts";
import { isSetAside } from "../workers/attempts.ts";
import { isPaused, isReplaced, markBlocked } from "../workers/pause-worker.ts";
import { spentBudgetOf } from "../workers/worker-limits.ts";
import { isToStop, iterate } from "./iteration.ts";

/**
 * Works on one change until it is done: conflicts resolved, checks passed, question answered. A reassigned
 * task starts when its previous worker has left it.
 */
export const workUntilDone = (run: Run, assignment: Assignment): Promise<void> =>
  run.serial.run(`work/${assignment.worker}`, () => work(run, assignment));

async function work(run: Run, assignment: Assignment): Promise<void> {
  const { worker: name, changeId, signal } = assignment;
  run.worker(name).signal = signal;
  const finished = () => ["done", assignment.finishedAs].includes(run.worker(name).record.status);
  await pendingTrouble(run, name);
  for (;;) {
    // Finished before a restart, or by the user meanwhile, without being recorded.
    if (finished()) {
      run.setActivity(name, assignment.finishedAs === "done" ? "done" : "waiting", "");
      return;
    }
    if (isSetAside(run, name)) throw new Interrupted();
    if (await hasWaited(run, name, signal)) continue;
    run.setActivity(name, "sleeping", waitsForPlace);
    const release = await run.slots.take(name, signal).catch(() => {
      throw new Interrupted();
    });
    // It has its place; what it does there says itself.
    run.setActivity(name, "sleeping", "");
    let end: LoopEnd;
    try {
      if (run.isPausedOrOver() || signal.aborted) throw new Interrupted();
      if (isPaused(run, name) || isReplaced(run, name)) continue;
      end = await run.lock.withShared(name, () => {
        if (isSetAside(run, name)) throw new Interrupted();
        return iterate(run, assignment);
      });
    } catch (error) {
      // Its last result may not have been recorded: resumed from the journal, it is repeated.
      if (!(error instanceof Interrupted)) run.worker(name).open = null;
      throw error;
    } finally {
      release();
      run.worker(name).recorder.flush();
    }
    switch (end.kind) {
      case "done":
        await run.workspaces.leave(name);
        run.setActivity(name, assignment.finishedAs === "done" ? "done" : "waiting", "");
        return;
      case "ask":
      case "wait":
        break;
      case "gate":
        if (end.gate === "budget") run.dispatch({ kind: "BudgetExhausted" });
        if (run.isPausedOrOver() || signal.aborted) {
          run.setActivity(name, "paused", "");
          throw new Interrupted();
        }
        if (isToStop(run, name) || spentBudgetOf(run, name) !== null || run.slots.mustYield(name)) break;
        // A change below is being written: it waits at the barrier and resumes.
        run.setActivity(name, "waiting", run.lock.pendingReason(name) ?? "resuming");
        break;
      case "aborted":
        run.setActivity(name, "paused", "");
        throw new Interrupted();
      case "failed":
        await handleFailure(run, name, `${name} got no response from its model`, end.error);
        break;
      case "blocked":
        markBlocked(run, name, "blocked", end.reason);
        break;
      case "iteration-limit":
        markBlocked(
          run,
          name,
          "iterations",
          end.failures.map((check) => `${check.name}: ${outcomeText[check.outcome]}`).join("; ") ||
            "No check failed.",
        );
        break;
    }
    if (changeId !== run.worker(name).record.changeId) throw new Interrupted();
  }
}

async function handleFailure(run: Run, worker: string, title: string, error: unknown): Promise<void> {
  if (!(await trouble(run, { of: worker, worker, title, error }))) throw new Interrupted();
}

/** Passes all that may hold an agent before its turn. True as soon as one of them did: then another may by now. */
async function hasWaited(run: Run, worker: string, signal: AbortSignal): Promise<boolean> {
  const byName = Map.groupBy(
    run.features.flatMap(({ agents }) => agents?.gate ?? []),
    ({ name }) => name,
  );
  for (const name of gates)
    for (const { pass } of byName.get(name) ?? []) if (await pass(run, worker, signal)) return true;
  return false;
}

/** The assignment of a task's worker. @param name its worker */
export function taskAssignment(run: RunReader, name: string, signal: AbortSignal): Assignment {
  const { task, parent, title, changeId } = run.worker(name).record;
  // Read with every prompt: the user may change the plan while the agent works.
  const planned = () => run.orchestratorFacts(parent ?? "").plan?.tasks.find((one) => one.id === task);
  return {
    worker: name,
    changeId: changeId ?? "",
    signal,
    promptFile: "agent",
    finishedAs: "review",
    get heading() {
      return promptLine`[TASK] ${planned()?.title ?? title}`;
    },
    description: () => {
      const { description = "", files = [] } = planned() ?? {};
      return [
        quoteText(description),
        promptLine``,
        ...(files.length > 0 ? [promptLine`Files that are yours:`, ...pathLines(files)] : []),
      ];
    },
  };
}

/** Finished work waits here for whatever has to be settled before it counts. */
export async function settleBeforeOffer(
  run: Run,
  offered: MergeCandidate,
  signal: AbortSignal,
): Promise<void> {
  for (const { agents } of run.features) await agents?.beforeOffer?.(run, offered, signal);
}
