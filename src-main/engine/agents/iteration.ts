import type { MessageView } from "#shared/contract/views/message.ts";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import type { MetadataPatch } from "#shared/domain/graph-words/metadata.ts";
import { writeMetadata } from "#shared/domain/graph-words/write-trailers.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { IterationReport } from "../../agent/loop-interface.ts";
import type { Recorded } from "../../jj/ports/working-copies.ts";
import type { CacheLeftOut } from "../../tools/caches-left-out.ts";
import { EngineRefusal } from "../engine-errors.ts";
import { markHandled } from "../orchestrators/messages.ts";
import type { Run } from "../ports.ts";
import { save, saveAs, saveTo } from "../workspaces/save-workspace.ts";
import type { WorkspaceHandle } from "../workspaces/workspace-interface.ts";
import { judgeSaved } from "./saved-work.ts";

/**
 * What an iteration costs in jj: one process that records the files and counts the iteration in the description, while
 * what was read before surely still stands there; else a snapshot that also tells the description as a person may have
 * left it. After the checks one describe writes what they changed of the metadata, most often nothing, and records what
 * hooks made of the files meanwhile. More are asked when somebody may have told the task anew in between: then the
 * description is read again. Nothing else is asked while there is no conflict and no message.
 */
export function createIterations(
  run: Run,
  worker: string,
  workspace: WorkspaceHandle,
  /** What finished work is called: an agent's is yet to be reviewed. */
  finishedAs: "review" | "done",
) {
  let saved: Recorded | null = null;
  let conflictedFiles: readonly string[] = [];
  let overridden: string | null = null;
  let toldLeftOut = "";
  /** Whether its files changed since the last report. */
  let changed = false;

  /** The decision that it contradicts, from what jj holds in conflict and what was found beside that. */
  const contradictedNow = (): string | null =>
    run.services.compliance.contradictedBy(worker) ??
    (conflictedFiles.length > 0 ? run.worker(worker).record.contradicts : null);

  /** Records the files, and with them that the iteration was worked on. */
  const recordFiles = async (changeId: string, iteration: number | undefined): Promise<Recorded> => {
    if (saved !== null && iteration !== undefined) {
      const description = writeMetadata(saved.description, { status: "in_progress", iteration });
      if (description !== saved.description)
        return saveAs(run.repository, workspace, changeId, { description, since: saved.operation });
    }
    return saveTo(run.repository, workspace, changeId);
  };

  /** Writes metadata, and records what hooks made of the files where they ran. */
  const writeDown = async (
    now: Recorded,
    changeId: string,
    patch: MetadataPatch,
    touched: boolean,
  ): Promise<void> => {
    // Checks take a while, and somebody may have dragged the task or told it anew meanwhile: only where surely nobody
    // did since the save may its words be written back without reading them again.
    const { operation: since } = now;
    const text = writeMetadata(now.description, patch);
    let asRead: boolean;
    if (text === now.description) {
      if (touched) await save(workspace);
      asRead = !(await run.repository.mayBeDescribedSince(changeId, since));
    } else if (touched) {
      saved = await workspace.describe(changeId, text, { since, actor: worker });
      asRead = saved.description === text;
    } else {
      const { operation, described } = await run.repository.describe(changeId, text, {
        since,
        actor: worker,
      });
      if (described) saved = { ...now, description: text, operation };
      asRead = described;
    }
    if (!asRead) await run.repository.setMetadata([{ change: changeId, patch }], { actor: worker });
    if (touched) run.services.conflictForecast.look();
  };

  /** What jj did not record would be gone with the folder, and nobody would know why. */
  const tellLeftOut = (paths: readonly string[]): void => {
    const words = paths.map(shownName).toSorted().join(", ");
    if (words !== "" && words !== toldLeftOut)
      run.appendTranscript(worker, {
        kind: "notice",
        text: `Not recorded, so never a part of the work (too large, or a name that is no UTF-8): ${words}`,
      });
    toldLeftOut = words;
  };

  const toldCaches = new Set<string>();
  const tellCaches = (caches: readonly CacheLeftOut[]): void => {
    const news = caches.filter(({ path }) => !toldCaches.has(path));
    for (const { path } of news) toldCaches.add(path);
    if (news.length > 0)
      run.appendTranscript(worker, {
        kind: "notice",
        text: `Made by tools, so never a part of the work: ${news.map(({ path, reason }) => `${shownName(path)} (${reason})`).join(", ")}`,
      });
  };

  return {
    /** Files that jj holds in conflict in the worker's change, as of the last save. */
    conflicts: () => conflictedFiles,

    /** The commit of the last save of this process; null: none yet. */
    commit: (): string | null => saved?.commitId ?? null,

    /** Why finished work may not count as done because of a decision, or null. (HOX-5.2, 5.4) */
    async contradiction(): Promise<string | null> {
      if (saved === null) throw new Error("Work is judged after it was saved.");
      return (
        overridden ??
        run.services.compliance.refuseDone({
          worker,
          commit: saved.commitId,
          inConflict: conflictedFiles,
        })
      );
    },

    /**
     * Must succeed: work that is not saved cannot go on.
     * @param iteration the one whose work it is, when it has ended
     * @returns whether files changed since they were last saved
     */
    async save(iteration?: number): Promise<boolean> {
      const { changeId } = run.worker(worker).record;
      const asRecorded = await (changeId === null ? save(workspace) : recordFiles(changeId, iteration));
      if (changeId !== null && asRecorded.changeId !== changeId)
        throw new EngineRefusal(
          `The workspace of ${worker} stands on ${asRecorded.changeId.slice(0, 12)} and not on its task.`,
          `Put it back with \`jj edit ${changeId.slice(0, 12)}\` in ${workspace.location}, then retry.`,
        );
      const now = await judgeSaved(run, { worker, workspace, recorded: asRecorded });
      tellLeftOut(asRecorded.unsnapshotted ?? []);
      if (now.changed) tellCaches(await workspace.cachesLeftOut());
      workspace.showInGit(now.commitId);
      saved = now;
      changed ||= now.changed;
      if (now.changed) run.services.conflictForecast.look();
      if (run.worker(worker).record.conflict === "none") conflictedFiles = [];
      else conflictedFiles = (await run.repository.conflictedFiles(now.commitId)).map((file) => file.path);
      overridden = await run.services.compliance.judgeSaved(worker, workspace, conflictedFiles);
      return now.changed;
    },

    /** Must succeed: what cannot be written down did not happen. `alongside` is kept together with it or not at all. */
    async report(
      report: IterationReport,
      delivered: readonly MessageView[],
      alongside: () => void,
    ): Promise<void> {
      const { record } = run.worker(worker);
      const contradicts = contradictedNow();
      const status =
        // Found between its last check and now: it is worked on again.
        report.decision === "done" && contradicts === null
          ? finishedAs
          : report.decision === "blocked"
            ? "blocked"
            : "in_progress";
      const patch: MetadataPatch = {
        status,
        iteration: report.iteration,
        ...(contradicts !== null
          ? { msgType: "mutation", replyTo: contradicts }
          : record.contradicts !== null
            ? { msgType: null, replyTo: null }
            : {}),
      };
      if (saved !== null && record.changeId !== null)
        await writeDown(saved, record.changeId, patch, report.hooks.length > 0);
      if (contradicts !== null && contradicts !== record.contradicts) run.metrics.conflictMet(worker);
      run.metrics.time(worker, "thinking", report.ms.model);
      run.metrics.time(worker, "saving", report.ms.save);
      run.metrics.time(worker, "checking", report.ms.checks);
      run.metrics.time(worker, "hooks", report.ms.hooks);
      for (const { agents } of run.features) agents?.onHooks?.(run, worker, report.hooks);
      if (report.checks.length > 0) run.appendTranscript(worker, { kind: "checks", results: report.checks });
      for (const note of report.notes) run.appendTranscript(worker, { kind: "notice", text: note });
      run.worker(worker).recorder.flush();
      const progressed =
        changed || (report.checks.length > 0 && outcomes(report.checks) !== outcomes(record.checks));
      changed = false;
      run.journal.together(() => {
        run.append({
          kind: "IterationEnded",
          worker,
          status,
          iteration: report.iteration,
          checks: report.checks,
          contradicts,
          hasConflict: conflictedFiles.length > 0,
          hasProgressed: progressed,
          stalledAfter: run.config.fold.stalledIterations,
          at: run.now(),
        });
        alongside();
        run.append({ kind: "MetricsMeasured", metrics: run.metrics.all() });
      });
      run.services.diskUse.look(worker);
      if (run.worker(worker).record.stall?.told === false) run.schedule();
      await markHandled(run, worker, delivered);
    },
  };
}

const outcomes = (checks: readonly CheckResult[]): string =>
  checks.map((check) => `${check.command} ${check.outcome}`).join("\n");
