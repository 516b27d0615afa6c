import type { MessageView } from "#shared/contract/views/message.ts";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import type { MetadataPatch } from "#shared/domain/graph-words/metadata.ts";
import { writeMetadata } from "#shared/domain/graph-words/write-trailers.ts";
import type { IterationReport } from "../../agent/loop-interface.ts";
import type { Recorded } from "../../jj/ports/working-copies.ts";
import { EngineRefusal } from "../engine-errors.ts";
import { markHandled } from "../orchestrators/messages.ts";
import type { Run } from "../ports.ts";
import { save, saveAs, saveTo } from "../workspaces/save-workspace.ts";
import type { WorkspaceHandle } from "../workspaces/workspace-interface.ts";
import { judgeSaved } from "./contributions.ts";
import { leftOutNotices } from "./left-out-notices.ts";

export interface Iterations {
  /** Files that jj holds in conflict in the worker's change, as of the last save. */
  conflicts(): readonly string[];
  /** The commit of the last save of this process; null: none yet. */
  commit(): string | null;
  /** Why finished work may not count as done because of a decision, or null. (HOX-5.2, 5.4) */
  contradiction(): Promise<string | null>;
  /**
   * Must succeed: work that is not saved cannot go on.
   * @param iteration the one whose work it is, when it has ended
   * @returns whether files changed since they were last saved
   */
  save(iteration?: number): Promise<boolean>;
  /** Must succeed: what cannot be written down did not happen. `alongside` is kept together with it or not at all. */
  report(report: IterationReport, delivered: readonly MessageView[], alongside: () => void): Promise<void>;
}

/** What this process knows of a worker's work. */
interface Work {
  readonly run: Run;
  readonly worker: string;
  readonly workspace: WorkspaceHandle;
  readonly notices: ReturnType<typeof leftOutNotices>;
  saved: Recorded | null;
  conflictedFiles: readonly string[];
  /** Why it takes a decision back, as of the last save. */
  overridden: string | null;
  /** Its files changed since the last report. */
  hasChanged: boolean;
}

/**
 * What an iteration costs in jj: one process that records the files and counts the iteration in the description, while
 * what was read before surely still stands there; else a snapshot that also tells the description as a person may have
 * left it. After the checks one describe writes what they changed of the metadata, most often nothing, and records what
 * hooks made of the files meanwhile. More are asked when somebody may have told the task anew in between: then the
 * description is read again. Nothing else is asked while there is no conflict and no message.
 *
 * @param finishedAs what finished work is called: an agent's is yet to be reviewed
 */
export function createIterations(
  run: Run,
  worker: string,
  workspace: WorkspaceHandle,
  finishedAs: "review" | "done",
): Iterations {
  const work: Work = {
    run,
    worker,
    workspace,
    notices: leftOutNotices(run, worker),
    saved: null,
    conflictedFiles: [],
    overridden: null,
    hasChanged: false,
  };
  return {
    conflicts: () => work.conflictedFiles,
    commit: () => work.saved?.commitId ?? null,
    async contradiction() {
      const { saved, overridden, conflictedFiles: inConflict } = work;
      if (saved === null) throw new Error("Work is judged after it was saved.");
      return overridden ?? run.services.compliance.refuseDone({ worker, commit: saved.commitId, inConflict });
    },
    save: (iteration) => saveWork(work, iteration),
    report: (report, delivered, alongside) => reportWork(work, finishedAs, report, { delivered, alongside }),
  };
}

async function saveWork(work: Work, iteration: number | undefined): Promise<boolean> {
  const { run, worker, workspace, notices } = work;
  const { changeId } = run.worker(worker).record;
  const recorded = await (changeId === null ? save(workspace) : recordFiles(work, changeId, iteration));
  if (changeId !== null && recorded.changeId !== changeId)
    throw new EngineRefusal(
      `The workspace of ${worker} is on change ${recorded.changeId.slice(0, 12)} instead of its task's change.`,
      `Move it back with \`jj edit ${changeId.slice(0, 12)}\` in ${workspace.location}, then retry.`,
    );
  const now = await judgeSaved(run, { worker, workspace, recorded });
  notices.notifyUntracked(recorded.unsnapshotted ?? []);
  if (now.hasChanged) notices.notifyCaches(await workspace.cachesLeftOut());
  workspace.showInGit(now.commitId);
  work.saved = now;
  work.hasChanged ||= now.hasChanged;
  if (now.hasChanged) run.services.conflictForecast.look();
  work.conflictedFiles =
    run.worker(worker).record.conflict === "none"
      ? []
      : (await run.repository.conflictedFiles(now.commitId)).map(({ path }) => path);
  work.overridden = await run.services.compliance.judgeSaved(worker, workspace, work.conflictedFiles);
  return now.hasChanged;
}

/** Records the files, and with them that the iteration was worked on. */
async function recordFiles(
  { run, workspace, saved }: Work,
  changeId: string,
  iteration: number | undefined,
): Promise<Recorded> {
  const read = iteration === undefined ? null : (saved ?? (await readDescription(run, changeId)));
  if (iteration !== undefined && read !== null) {
    const description = writeMetadata(read.description, { status: "in_progress", iteration });
    if (description !== read.description)
      return saveAs(run.repository, workspace, changeId, { description, since: read.operation });
  }
  return saveTo(run.repository, workspace, changeId);
}

/** The description of a change, and an operation at which it surely stood there or somebody has told it anew since. */
async function readDescription(
  { repository }: Run,
  changeId: string,
): Promise<Pick<Recorded, "description" | "operation"> | null> {
  const operation = await repository.currentOperation();
  const change = await repository.change(changeId);
  return change && { description: change.description, operation };
}

async function reportWork(
  work: Work,
  finishedAs: "review" | "done",
  report: IterationReport,
  { delivered, alongside }: { readonly delivered: readonly MessageView[]; readonly alongside: () => void },
): Promise<void> {
  const { run, worker, conflictedFiles } = work;
  const { record } = run.worker(worker);
  const contradicts = contradictedNow(work);
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
  if (record.changeId !== null) await writeDown(work, record.changeId, patch, report.hooks.length > 0);
  if (contradicts !== null && contradicts !== record.contradicts) run.metrics.conflictMet(worker);
  tell(run, worker, report);
  const hasProgressed =
    work.hasChanged || (report.checks.length > 0 && outcomes(report.checks) !== outcomes(record.checks));
  work.hasChanged = false;
  run.journal.together(() => {
    run.append({
      kind: "IterationEnded",
      worker,
      status,
      iteration: report.iteration,
      checks: report.checks,
      contradicts,
      hasConflict: conflictedFiles.length > 0,
      hasProgressed,
      stalledAfter: run.config.fold.stalledIterations,
      at: run.now(),
    });
    alongside();
    run.append({ kind: "MetricsMeasured", metrics: run.metrics.all() });
  });
  run.services.diskUse.look(worker);
  if (run.worker(worker).record.stall?.isAnswered === false) run.schedule();
  await markHandled(run, worker, delivered);
}

/** The decision that it contradicts, from what jj holds in conflict and what was found beside that. */
const contradictedNow = ({ run, worker, conflictedFiles }: Work): string | null =>
  run.services.compliance.contradictedBy(worker) ??
  (conflictedFiles.length > 0 ? run.worker(worker).record.contradicts : null);

/** Writes metadata, and records what hooks made of the files where they ran. */
async function writeDown(
  work: Work,
  changeId: string,
  patch: MetadataPatch,
  hasRunHooks: boolean,
): Promise<void> {
  const { run, worker, workspace, saved } = work;
  if (saved === null) return;
  // Checks take a while, and somebody may have dragged the task or told it anew meanwhile: only where surely nobody
  // did since the save may its words be written back without reading them again.
  const { operation: since } = saved;
  const text = writeMetadata(saved.description, patch);
  let asRead: boolean;
  if (text === saved.description) {
    if (hasRunHooks) await save(workspace);
    asRead = !(await run.repository.mayBeDescribedSince(changeId, since));
  } else if (hasRunHooks) {
    work.saved = await workspace.describe(changeId, text, { since, actor: worker });
    asRead = work.saved.description === text;
  } else {
    const { operation, described } = await run.repository.describe(changeId, text, { since, actor: worker });
    if (described) work.saved = { ...saved, description: text, operation };
    asRead = described;
  }
  if (!asRead) await run.repository.setMetadata([{ change: changeId, patch }], { actor: worker });
  if (hasRunHooks) run.services.conflictForecast.look();
}

/** The transcript and the figures of an iteration. */
function tell(run: Run, worker: string, { ms, hooks, checks, notes }: IterationReport): void {
  run.metrics.time(worker, "saving", ms.save);
  run.metrics.time(worker, "checking", ms.checks);
  run.metrics.time(worker, "hooks", ms.hooks);
  for (const { agents } of run.features) agents?.onHooks?.(run, worker, hooks);
  if (checks.length > 0) {
    run.metrics.checked(worker, checks);
    run.appendTranscript(worker, { kind: "checks", results: checks });
  }
  for (const note of notes) run.appendTranscript(worker, { kind: "notice", text: note });
  run.worker(worker).recorder.flush();
}

const outcomes = (checks: readonly CheckResult[]): string =>
  checks.map((check) => `${check.command} ${check.outcome}`).join("\n");
