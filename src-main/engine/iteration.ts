import type { MessageView } from "#shared/contract/views.ts";
import type { MetadataPatch } from "#shared/domain/metadata.ts";
import { writeMetadata } from "#shared/domain/trailers.ts";
import type { IterationReport } from "../agent/loop.ts";
import type { Workspace } from "../jj/repository-interface.ts";
import { markHandled } from "./messages.ts";
import type { Run } from "./run.ts";
import { save } from "./workspaces.ts";

/**
 * What an iteration costs in jj: one snapshot that also tells the description as a person may have left it, and one
 * describe that writes the metadata into it. A third process reads the description again when anybody wrote to the
 * repository in between. Nothing else is asked while there is no conflict and no message.
 */
export function createIterations(run: Run, worker: string, workspace: Workspace) {
  let saved: Awaited<ReturnType<typeof save>> | null = null;
  let conflictedFiles: readonly string[] = [];

  return {
    /** Files that jj holds in conflict in the worker's change, as of the last save. */
    conflicts: () => conflictedFiles,

    /** Must succeed: work that is not saved cannot go on. */
    async save(): Promise<void> {
      const now = await save(workspace);
      saved = now;
      if (now.changed) run.radar.look();
      if (run.worker(worker).record.conflict === "none") conflictedFiles = [];
      else conflictedFiles = (await run.repository.conflictedFiles(now.commitId)).map((file) => file.path);
    },

    /** Must succeed: what cannot be written down did not happen. `alongside` is kept together with it or not at all. */
    async report(
      report: IterationReport,
      delivered: readonly MessageView[],
      alongside: () => void,
    ): Promise<void> {
      const { record } = run.worker(worker);
      const resolved = record.conflict !== "none" && conflictedFiles.length === 0;
      const status =
        report.decision === "done" ? "done" : report.decision === "blocked" ? "blocked" : "in_progress";
      const patch: MetadataPatch = {
        status,
        iteration: report.iteration,
        ...(resolved && record.contradicts !== null ? { msgType: null, replyTo: null } : {}),
      };
      if (saved !== null && record.changeId !== null) {
        // Checks take a while, and somebody may have dragged the task or told it anew meanwhile: only where nothing at
        // all happened since the save may its words be written back without reading them again.
        if ((await run.repository.currentOperation()) === saved.operation) {
          const text = writeMetadata(saved.description, patch);
          if (text !== saved.description)
            await run.repository.describe(record.changeId, text, { actor: worker });
        } else {
          await run.repository.setMetadata([{ change: record.changeId, patch }], { actor: worker });
        }
      }
      run.metrics.time(worker, "thinking", report.ms.model);
      run.metrics.time(worker, "saving", report.ms.save);
      run.metrics.time(worker, "checking", report.ms.checks);
      if (report.checks.length > 0) run.record(worker, { kind: "checks", results: report.checks });
      for (const note of report.notes) run.record(worker, { kind: "notice", text: note });
      run.worker(worker).recorder.flush();
      run.journal.together(() => {
        run.journal.setFact(run.id, `checks/${worker}/${report.iteration}`, {
          iteration: report.iteration,
          results: report.checks,
        });
        run.update(worker, {
          status,
          iteration: report.iteration,
          checks: report.checks.length > 0 ? report.checks : record.checks,
          ...(resolved ? { conflict: "none", contradicts: null } : {}),
        });
        alongside();
        run.note({ metrics: run.metrics.all() });
      });
      await markHandled(run, worker, delivered);
    },
  };
}
