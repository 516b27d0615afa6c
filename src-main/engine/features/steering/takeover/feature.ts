import type { TakeoverPreview } from "#shared/contract/commands/worker.ts";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { isBlocking } from "#shared/domain/project/preflight.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { Takeover } from "#shared/domain/worker/worker-record.ts";
import { shortenedDiff } from "../../../agents/prompt.ts";
import { createIterations } from "../../../agents/recorded-iterations.ts";
import { EngineRefusal, explain } from "../../../engine-errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import { closeConversation } from "../../../kernel/close-conversation.ts";
import type { Feature } from "../../../kernel/feature.ts";
import { warn } from "../../../kernel/notify.ts";
import { messagesFor } from "../../../orchestrators/messages.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { isPaused, pauseWorker, resumeWorker, retryWorker } from "../../../workers/pause-worker.ts";
import { refuseFinished, steerableWorker } from "../../../workers/steerable.ts";
import { checkRunner } from "../../../workspaces/check-options.ts";
import { environmentOf } from "../../../workspaces/port-leases.ts";
import { keepWrittenByUser, save } from "../../../workspaces/save-workspace.ts";
import type { WorkspaceHandle } from "../../../workspaces/workspace-interface.ts";
import { withdrawQuestions } from "../../decisions/questions/feature.ts";

/** Takeover of a task by the user. */
export const takeover: Feature<Run> = {
  name: "takeover",
  commands: () => ({
    async "run.takeOver"(run, { worker: name }) {
      refuseFinished(run, name);
      return takeOver(run, name);
    },
    async "run.previewTakeover"(run, { worker: name }) {
      steerableWorker(run, name);
      return previewTakeover(run, name);
    },
    async "run.giveBack"(run, { worker: name, words }) {
      steerableWorker(run, name);
      await giveBack(run, name, words);
      await retryWorker(run, name);
    },
    async "run.finishByHand"(run, { worker: name, summary }) {
      steerableWorker(run, name);
      const result = await finishByHand(run, name, summary);
      if (result.done) await retryWorker(run, name);
      return result;
    },
  }),
};

/**
 * The user takes over a task in the agent's own workspace and returns it (design 3, HYLO-2). Meanwhile the
 * agent waits at its turn boundary. The folder is an ordinary jj workspace: rewrites of the change (a
 * decision, a rebase, an undo) snapshot the user's files first and update them, as they do with an agent's.
 *
 * The agent stops at its turn boundary, and its files are the user's. Idempotent.
 */
export async function takeOver(run: Run, name: string): Promise<{ folder: string }> {
  const { control, changeId, folder } = run.worker(name).record;
  if (control.kind === "user" && folder !== null && run.workspaces.of(name)) return { folder };
  const wasPaused = isPaused(run, name);
  pauseWorker(run, name);
  try {
    return await run.lock.withExclusive(name, async () => {
      const change = await readChange(run, changeId ?? "");
      // It may have finished with the very turn that was waited for.
      if (["done", "review"].includes(run.worker(name).record.status))
        throw new EngineRefusal(
          `${name} has just finished.`,
          "Review its work. To redo the task, undo its work or send it back.",
        );
      if (change.metadata.status !== "in_progress")
        await run.repository.setMetadata([{ change: change.changeId, patch: { status: "in_progress" } }], {
          actor: "hox",
        });
      const workspace = await run.workspaces.ensure(name, change.changeId);
      await run.workspaces.setUp(name, workspace, run.runEnded.signal);
      await bringOwnPackages(run, name, workspace);
      const { commitId } = await save(workspace);
      workspace.showInGit(commitId);
      await workspace.writeGitView();
      run.append({ kind: "TakenOver", worker: name, since: run.now(), commit: commitId });
      run.setActivity(name, "paused", "taken over by you");
      run.appendTranscript(name, { kind: "notice", text: "You took over the task." });
      run.worker(name).recorder.flush();
      return { folder: workspace.location };
    });
  } catch (error) {
    if (!wasPaused) resumeWorker(run, name);
    throw error;
  }
}

/** Shared folders are not available outside the sandbox. Without them the user installs what they need. */
async function bringOwnPackages(run: Run, name: string, workspace: WorkspaceHandle): Promise<void> {
  const { signal } = run.runEnded;
  const show = (copied: string) => run.setActivity(name, "tools", `copies ${copied} for you`);
  try {
    await workspace.ownPackages({ signal, show });
  } catch (error) {
    if (signal.aborted) throw error;
    warn(
      run,
      `Packages could not be copied into the folder of ${name}: ${explain(error).message}`,
      "Install the packages you need there. The agent keeps its own.",
    );
  }
}

/** The user's changes so far. Files are saved first. */
async function previewTakeover(run: Run, name: string): Promise<TakeoverPreview> {
  const { takeover, folder } = takeoverOf(run, name);
  const { files, diff } = await changedByHand(run, name, takeover);
  return { worker: name, folder: folder ?? "", since: takeover.since, files, diff };
}

/** Returns the task; the agent resumes with a list of the user's changes. */
export async function giveBack(run: Run, name: string, words: string): Promise<void> {
  const { takeover } = takeoverOf(run, name);
  await run.lock.withExclusive(name, async () => {
    const { files, diff, commit } = await changedByHand(run, name, takeover);
    keepWrittenByUser(run, run.worker(name).record.changeId ?? "", {
      files,
      commit,
    });
    const touched = files.length > 0 || words !== "";
    run.appendTranscript(name, {
      kind: "notice",
      text: `You returned the task${files.length === 0 ? "" : `, with changes to ${files.map(shownName).join(", ")}`}.`,
    });
    run.worker(name).recorder.flush();
    run.journal.together(() => {
      if (touched) closeConversation(run, name);
      run.append({
        kind: "HandedBack",
        worker: name,
        notes: touched ? [{ kind: "by-hand", files, diff: shortenedDiff(diff), words }] : [],
      });
    });
    await run.refreshChanges();
  });
  resumeWorker(run, name);
}

/**
 * The user reports the task as done: it goes through the checks as an agent's work does. While one fails the
 * task stays with the user.
 */
export async function finishByHand(
  run: Run,
  name: string,
  summary: string,
): Promise<{ done: boolean; checks: readonly CheckResult[] }> {
  const { takeover } = takeoverOf(run, name);
  const { role } = run.worker(name).record;
  const checks = await run.lock.withShared(name, async () => {
    const workspace = run.workspaces.of(name);
    if (!workspace) throw goneFolder(name);
    const iterations = createIterations(run, name, workspace, roles[role].finishedAs);
    run.setActivity(name, "checking", "checking your work");
    try {
      const change = await readChange(run, run.worker(name).record.changeId ?? "");
      if (change.conflict) run.append({ kind: "MergeConflictFound", worker: name });
      await iterations.save();
      const conflicts = iterations.conflicts();
      if (conflicts.length > 0)
        throw new EngineRefusal(
          `These files still have conflict markers: ${conflicts.map(shownName).join(", ")}.`,
          "Resolve all of them, then finish the task again.",
        );
      const written = await changedByHand(run, name, takeover);
      keepWrittenByUser(run, run.worker(name).record.changeId ?? "", written);
      const iteration = run.worker(name).record.iteration + 1;
      const begun = run.monotonic();
      const results = await checkRunner(run, name, workspace).run({
        environment: environmentOf(run, name),
        signal: run.runEnded.signal,
        iteration,
        all: true,
      });
      const failed = results.filter(isBlocking);
      if (failed.length > 0) {
        run.appendTranscript(name, { kind: "checks", results });
        run.append({ kind: "ChecksRun", worker: name, checks: results });
        return results;
      }
      const summaryText = summary || "Finished by the user by hand.";
      await iterations.report(
        {
          iteration,
          end: "signal",
          signal: { kind: "done", summary: summaryText },
          decision: "done",
          checks: results,
          notes: ["You finished the task yourself."],
          hooks: [],
          ms: { save: 0, hooks: 0, checks: Math.round(run.monotonic() - begun) },
        },
        messagesFor(run, name),
        () => {
          closeConversation(run, name);
          run.append({ kind: "FinishedByHand", worker: name, summary: summaryText });
        },
      );
      withdrawQuestions(run, name, "The user has finished the task by hand.");
      return results;
    } finally {
      run.setActivity(name, "paused", "taken over by you");
    }
  });
  const done = !checks.some(isBlocking);
  if (done) resumeWorker(run, name);
  return { done, checks };
}

function takeoverOf(
  run: RunReader,
  name: string,
): { readonly takeover: Takeover; readonly folder: string | null } {
  const { control, folder } = run.worker(name).record;
  if (control.kind !== "user")
    throw new EngineRefusal(`You have not taken over the task of ${name}.`, `Take it over first.`);
  return { takeover: control, folder };
}

async function changedByHand(
  run: Run,
  name: string,
  { commit }: Takeover,
): Promise<{ readonly files: readonly string[]; readonly diff: string; readonly commit: string }> {
  const workspace = run.workspaces.of(name);
  if (!workspace) throw goneFolder(name);
  const { commitId } = await save(workspace);
  const changes =
    commitId === commit
      ? { files: [], diff: "" }
      : await run.repository.interdiff({ from: commit, to: commitId });
  return { ...changes, commit: commitId };
}

const goneFolder = (name: string): EngineRefusal =>
  new EngineRefusal(
    `The workspace of ${name} was deleted.`,
    "The saved work is in its change. Take over the task again to recreate the workspace.",
  );
