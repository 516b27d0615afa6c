import { assignmentBookmark } from "#shared/domain/change-metadata/address.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import { checkChoice } from "../../../conversations/check-choice.ts";
import { closeExternalAgent } from "../../../conversations/external-agents.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import { closeConversation } from "../../../kernel/close-conversation.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { nextAgent } from "../../../workers/hierarchy.ts";
import { isPaused, pauseWorker, resumeWorker, retryWorker } from "../../../workers/pause-worker.ts";
import { refuseFinished } from "../../../workers/steerable.ts";
import { withdrawQuestions } from "../../decisions/questions/feature.ts";

/** A task goes to a fresh agent. */
export const reassignment: Feature<Run> = {
  name: "reassignment",
  commands: () => ({
    async "run.reassignWorker"(run, { worker: name, model, brief }) {
      refuseFinished(run, name);
      return { worker: await reassign(run, name, { model, brief }) };
    },
  }),
};

/** The details of a reassignment. */
interface Handover {
  /** Null: the same as before. */
  readonly model: string | null;
  readonly brief: string;
  /** The orchestrator that reassigns the task; omitted if the user does. */
  readonly by?: string;
}

/**
 * Gives a task to a fresh agent, with another model or other instructions. (design 3) The change with its
 * content stays; the assignment moves: bookmark, trailer and record. The previous agent stops at its turn
 * boundary, its work is saved and its workspace removed. The journal records the new agent first; its part on
 * the graph can be redone after a crash.
 *
 * Returns the new agent's name. The old one's questions are withdrawn, and passed to the new one.
 */
export async function reassign(run: Run, name: string, handover: Handover): Promise<string> {
  if (!roles[run.worker(name).record.role].canWriteTask)
    throw new EngineRefusal(`${name} has no task in the plan.`, "Send it a message, or take over its work.");
  // A model without a price cannot be held to a budget.
  if (handover.model !== null) checkChoice(run.config, handover.model, "agent");
  const wasPaused = isPaused(run, name);
  pauseWorker(run, name);
  let next: string;
  try {
    // An open card must not keep the old one from ending.
    await retryWorker(run, name);
    next = await run.lock.withExclusive(name, () => switchAgents(run, name, handover));
  } catch (error) {
    if (!wasPaused) resumeWorker(run, name);
    throw error;
  }
  run.waiters.wake();
  await settleAssignment(run, next);
  run.schedule();
  return next;
}

async function switchAgents(run: Run, name: string, { model, brief, by }: Handover): Promise<string> {
  const before = run.worker(name).record;
  if (["done", "review"].includes(before.status))
    throw new EngineRefusal(`${name} has just finished.`, "To redo the task, undo its work or send it back.");
  const { files } = await giveUpWorkspace(run, before);
  const questions = run.facts.questions.filter((one) => one.from === name && one.answer === null);
  const next = nextAgent(run);
  run.journal.together(() => {
    closeConversation(run, name);
    run.addWorker({
      name: next,
      role: "agent",
      parent: before.parent,
      task: before.task,
      changeId: before.changeId,
      title: before.title,
      phase: before.phase,
      rank: before.rank,
      conflict: before.conflict?.kind === "merge" ? { kind: "merge", cause: null } : before.conflict,
      checks: before.checks,
      replaces: name,
      model: model ?? before.model,
      notes: [
        ...before.notes,
        {
          kind: "handed-over",
          from: name,
          iterations: before.iteration,
          summary: before.summary,
          files,
          checks: before.checks,
          questions: questions.map((one) => one.question),
          ...(by === undefined ? {} : { by }),
          words: brief,
        },
      ],
    });
    run.append({ kind: "TaskReassigned", worker: name, to: next });
  });
  withdrawQuestions(run, name, `The task was reassigned to ${next}.`);
  run.inbox.withdraw(
    (item) => item.kind === "budget" && item.worker === name,
    `The task was reassigned to ${next}.`,
  );
  run.setActivity(name, "done", `reassigned to ${next}`);
  run.appendTranscript(name, { kind: "notice", text: `${by ?? "You"} reassigned the task to ${next}.` });
  run.worker(name).recorder.flush();
  return next;
}

/** Saves the files and ends the workspace: two working copies of one change would rewrite each other. */
async function giveUpWorkspace(run: Run, { name, changeId }: WorkerRecord) {
  await closeExternalAgent(run, name);
  await run.workspaces.end(name);
  const change = await readChange(run, changeId ?? "");
  return { files: await run.repository.changedPaths(change.commitId) };
}

/**
 * Writes the task's agent on the graph: trailer and bookmark. Does nothing for an agent that had its task
 * from the start, and is idempotent.
 */
export async function settleAssignment(run: Run, name: string): Promise<void> {
  const { replaces, parent, changeId } = run.worker(name).record;
  if (!replaces || parent === null || changeId === null) return;
  await run.step(`assigned/${name}`, async () => {
    const actor = "hox";
    await run.repository.setMetadata([{ change: changeId, patch: { agent: name, status: "open" } }], {
      actor,
    });
    await run.repository.setBookmark(assignmentBookmark(parent, name), changeId, {
      allowBackwards: true,
      actor,
    });
    const refs = await run.repository.refs();
    const old = assignmentBookmark(parent, replaces);
    if (refs.bookmarks[old] !== undefined) await run.repository.deleteBookmark(old, { actor });
    await run.refreshChanges();
    run.changed();
    return true;
  });
}
