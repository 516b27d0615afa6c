/**
 * A status that the user writes into a task's change, from the graph, the inspector, `hox describe
 * --set-status` or jj, is a command to the run: it is applied or refused by name, and the change then shows
 * the actual status again.
 */

import type { Status } from "#shared/domain/graph-words/metadata.ts";
import { isBlocking } from "#shared/domain/project/first-look.ts";
import type { StatusCommand } from "#shared/domain/worker/status-by-hand.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { RunEvent } from "#shared/run/events.ts";
import { explain } from "../../../engine-errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import { warn } from "../../../kernel/notify.ts";
import type { Run } from "../../../ports.ts";
import { siblingAttempts } from "../../../workers/attempts.ts";
import { parentOf } from "../../../workers/hierarchy.ts";
import { hold, isPaused, isTakenOver, release, retryWorker, showHeld } from "../../../workers/hold-worker.ts";
import { giveUpTask } from "../../planning/planning/feature.ts";
import { amendPlan } from "../../planning/planning/plan-editing.ts";
import { finishByHand, giveBack, takeOver } from "../takeover/take-over.ts";
import {
  commandFor,
  dequeueStatusCommand,
  finishStatusCommand,
  othersOnChange,
  type StatusSource,
} from "./status-commands.ts";

/** Carries out what a task's status says. */
export async function applyStatusCommand(run: Run, name: string): Promise<void> {
  const requested = dequeueStatusCommand(run, name);
  try {
    const meant = await hearOut(run, name, requested);
    if (meant.kind === "refused") tell(run, meant.reason, meant.remedy);
    else await carryOut(run, name, meant);
    finishStatusCommand(run, name, requested);
  } catch (error) {
    if (run.runEnded.signal.aborted) return;
    finishStatusCommand(run, name, requested);
    const { message, remedy } = explain(error);
    tell(run, message, remedy);
    await run.lock
      .withExclusive(name, () => sayAgain(run, name))
      .catch((failure: unknown) =>
        tell(run, `The status of ${name} could not be updated: ${explain(failure).message}`, null),
      );
  }
}

/** With its agents at the turn boundary no write of ours is running: any difference is the user's edit. */
const hearOut = (run: Run, name: string, requested: StatusSource): Promise<StatusCommand> => {
  const others = new Set(othersOnChange(run, run.worker(name).record).map((one) => one.name));
  return run.lock.withExclusive(
    (who) => who === name || others.has(who),
    async () => {
      if (run.runEnded.signal.aborted) return { kind: "none" };
      const { record } = run.worker(name);
      const { metadata } = await readChange(run, record.changeId ?? "");
      const meant = commandFor(run, record, requested === "graph" ? metadata.status : requested.status);
      run.append(...eventsOf(meant, record, metadata.status));
      if (meant.kind === "hold") showHeld(run, name);
      if (meant.kind === "refused" || meant.kind === "hold" || meant.kind === "go-on")
        await sayAgain(run, name);
      return meant;
    },
    "you changed its status",
  );
};

/** What the run takes down at once of a command; what takes longer, `carryOut` does. */
function eventsOf(
  { kind }: StatusCommand,
  { name: worker, status }: WorkerRecord,
  read: Status | undefined,
): readonly RunEvent[] {
  const events: RunEvent[] = [];
  if (read !== undefined) events.push({ kind: "GraphStatusRead", worker, status: read });
  if (kind === "go-on") events.push({ kind: "WorkReset", worker });
  if (kind === "hold") events.push({ kind: "WorkerHeld", worker });
  if (kind === "hold" && status !== "review") events.push({ kind: "WorkBlocked", worker });
  return events;
}

/** Writes the task's actual status into its change, if it differs. No agent may be working on it. */
async function sayAgain(run: Run, name: string): Promise<void> {
  const { changeId, status } = run.worker(name).record;
  if (changeId === null || status === "abandoned") return;
  const { metadata } = await readChange(run, changeId);
  if (metadata.status === status) return;
  await run.repository.setMetadata([{ change: changeId, patch: { status } }], { actor: "hox" });
  run.append({ kind: "GraphStatusRead", worker: name, status });
}

async function carryOut(run: Run, name: string, { kind }: StatusCommand): Promise<void> {
  const { task, title } = run.worker(name).record;
  switch (kind) {
    case "remove":
      // Of several attempts at a task it is this one.
      if (siblingAttempts(run, name).length > 0) await giveUpTask(run, name);
      else if (task !== null) await amendPlan(run, parentOf(run, name), [{ kind: "remove", task }]);
      return;
    case "finish":
      return finish(run, name, title);
    case "hold":
      run.appendTranscript(name, {
        kind: "notice",
        text: "You marked the task as blocked: its agent is paused.",
      });
      return;
    case "go-on":
      run.appendTranscript(name, {
        kind: "notice",
        text: "You marked the task as open: its agent resumes.",
      });
      await retryWorker(run, name);
      release(run, name);
      return;
    case "none":
    case "refused":
      return;
    default:
      kind satisfies never;
  }
}

/** The same path as the user's own work; if a check fails, the agent continues. */
async function finish(run: Run, name: string, title: string): Promise<void> {
  const [inHand, held] = [isTakenOver(run, name), isPaused(run, name)];
  await takeOver(run, name);
  const backAgain = async (): Promise<void> => {
    if (inHand || !isTakenOver(run, name)) return;
    await giveBack(run, name, "");
    if (held) hold(run, name);
  };
  try {
    const { done, checks } = await finishByHand(run, name, "You marked the task as done.");
    if (done) {
      await retryWorker(run, name);
      return;
    }
    const failed = checks.filter(isBlocking).map((check) => check.name);
    tell(
      run,
      `“${title}” is not done: ${failed.join(", ")} failed.`,
      inHand
        ? "Fix it, then mark it as done again."
        : `${name} continues the task. You can also take it over.`,
    );
  } finally {
    await backAgain();
  }
}

const tell = (run: Run, text: string, remedy: string | null): void => warn(run, text, remedy);
