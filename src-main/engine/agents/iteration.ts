/** One stretch of an agent's work, from its turn boundary to the next: see `runLoop` for what an iteration is. */

import type { MetadataPatch } from "#shared/domain/change-metadata/metadata.ts";
import { writeMetadata } from "#shared/domain/change-metadata/write-trailers.ts";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import type { MessageView } from "#shared/domain/messages/message-view.ts";
import { isBlocking } from "#shared/domain/project/preflight.ts";
import type { PromptText } from "#shared/domain/text/prompt-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { contradictedDecision } from "#shared/domain/worker/worker-record.ts";
import type { CheckRunner } from "../../agent/agent-interface.ts";
import { type IterationReport, type LoopEnd, type PromptFacts, runLoop } from "../../agent/loop.ts";
import type { Config } from "../../config/config-interface.ts";
import type { Recorded } from "../../jj/ports/working-copies.ts";
import type { CacheLeftOut } from "../../tools/excluded-caches.ts";
import type { ToolSignal } from "../../tools/tool-interface.ts";
import { externalChoice } from "../conversations/conversation-factory.ts";
import { travelRule } from "../conversations/external-agents.ts";
import { EngineRefusal, Interrupted } from "../engine-errors.ts";
import {
  contradictionsOf,
  forgetCompliance,
  refuseByCompliance,
} from "../features/decisions/decisions/compliance.ts";
import { findOverrides } from "../features/decisions/decisions/overrides.ts";
import { judgeSnapshot } from "../features/environment/protected-files/feature.ts";
import { hooksOf, notifyHookResults } from "../features/landing/user-hooks/feature.ts";
import type { Later } from "../graph-sync/radar.ts";
import { readChange } from "../graph-sync/read-change.ts";
import type { FinishedWork } from "../kernel/agent-work.ts";
import { closeConversation } from "../kernel/close-conversation.ts";
import { doneChecks } from "../kernel/gates.ts";
import { markHandled } from "../orchestrators/messages.ts";
import type { Assignment, Run } from "../ports.ts";
import { gateOf, iterationsOf } from "../workers/worker-limits.ts";
import { checkCommands, checkRunner } from "../workspaces/check-options.ts";
import { environmentOf } from "../workspaces/port-leases.ts";
import { save, saveAs, saveTo } from "../workspaces/save-workspace.ts";
import { syncWithTrunk } from "../workspaces/trunk.ts";
import type { WorkspaceHandle } from "../workspaces/workspace-interface.ts";
import { createBackgroundSnapshots } from "./background-snapshots.ts";
import { createConversations } from "./conversation.ts";
import { createPrompts, type Prompts } from "./prompt.ts";

/** @throws Interrupted when it is not wanted any more before it begins */
export async function iterate(run: Run, assignment: Assignment): Promise<LoopEnd> {
  const { worker: name } = assignment;
  const { workspace, isFresh } = await prepareWork(run, assignment);
  const iterations = createIterations(run, name, workspace, assignment.finishedAs);
  refuseUnwanted(run, assignment);
  // A conflict found meanwhile is in the files now; the first prompt must name it.
  if (run.worker(name).record.conflict !== null) await iterations.save();
  const prompts = createPrompts(run, assignment, iterations, workspace);
  const conversations = await createConversations(run, assignment, {
    ...{ workspace, isFresh, prompts, wrote: iterations.wrote },
    gate: turnGate(run, name),
  });
  const buildPrompt = async (facts: PromptFacts): Promise<PromptText> => {
    if (await syncWithTrunk(run, name)) await conversations.followBase();
    return prompts.build(facts, conversations.isContinued && facts.iteration === iteration);
  };
  const iteration = run.worker(name).record.iteration + 1;
  const failures = run.worker(name).record.checks.filter(isBlocking);
  const loop = runLoop({
    // Read before each iteration: the user may change it meanwhile.
    get maxIterations() {
      return iterationsOf(run, name);
    },
    run: workspace.run,
    environment: environmentOf(run, name),
    signal: run.runEnded.signal,
    monotonic: run.monotonic,
    resume: {
      iteration,
      prompt: conversations.isLeftOpen
        ? conversations.isAsIs
          ? prompts.wordOnTheWay()
          : null
        : await buildPrompt({ iteration, failures, notes: [] }),
    },
    buildPrompt,
    conversation: conversations.of,
    async afterTools(number) {
      run.setActivity(name, "checking", "saving");
      return iterations.save(number);
    },
    hooks: () => hooksOf(run, name),
    checks: currentChecks(run, name, workspace),
    async onQuestion(question) {
      reportSignal(run, name, question, run.worker(name).record.iteration + 1);
      // Whatever waits for an answer is looked for.
      run.schedule();
    },
    async catchUp() {
      // Without checks nothing is judged on what was merged, and offered work takes it in anyway.
      if (checkCommands(run).length === 0) return;
      if (await syncWithTrunk(run, name, "again")) await iterations.save();
    },
    refuseDone: () =>
      whyNotDone(run, {
        worker: name,
        delivered: prompts.delivered(),
        conflicts: iterations.conflicts(),
        isTaskChanged: prompts.isTaskChanged(),
        contradiction: iterations.contradiction,
      }),
    async onIteration(report) {
      await iterations.report(report, prompts.delivered(), () =>
        endIteration(run, name, report, { prompts, commit: iterations.commit() }),
      );
      prompts.forgetDelivered();
    },
  });
  // A journal that cannot be written ends it without a save.
  return loop.finally(iterations.endBackground);
}

/** Each step before its first turn takes jj processes that closing the app, or a pause, would wait for. */
function refuseUnwanted(run: Run, { signal }: Assignment): void {
  if (run.runEnded.signal.aborted || signal.aborted) throw new Interrupted();
}

/** The change is marked as worked on, and its files are there. */
async function prepareWork(
  run: Run,
  assignment: Assignment,
): Promise<{ readonly workspace: WorkspaceHandle; readonly isFresh: boolean }> {
  const { worker: name, changeId, signal } = assignment;
  refuseUnwanted(run, assignment);
  const isFresh = run.workspaces.of(name) === null;
  await syncWithTrunk(run, name);
  refuseUnwanted(run, assignment);
  const change = await readChange(run, changeId);
  refuseUnwanted(run, assignment);
  // Once per task, not per iteration, so that the graph shows at once that it is in progress.
  if (change.metadata.status !== "in_progress")
    await run.repository.setMetadata([{ change: changeId, patch: { status: "in_progress" } }], {
      actor: name,
    });
  // Its dependencies may be parallel: then its work begins with merging them.
  if (isFresh && change.conflict && run.worker(name).record.conflict === null)
    run.append({ kind: "MergeConflictFound", worker: name });
  refuseUnwanted(run, assignment);
  const workspace = await run.workspaces.ensure(name, changeId);
  refuseUnwanted(run, assignment);
  await run.workspaces.setUp(name, workspace, signal, travelRule(externalChoice(run, name)));
  if (run.worker(name).record.status !== "in_progress") run.append({ kind: "WorkStarted", worker: name });
  return { workspace, isFresh };
}

/** Asked before each of its requests. */
function turnGate(run: Run, name: string) {
  const { config } = run;
  const ofBudget = gateOf(run, name);
  return () =>
    run.worker(name).signal?.aborted ||
    // Its tools were made with the old settings: it resumes at once with new ones.
    run.config !== config ||
    isToStop(run, name) ||
    // At once resumed with it.
    run.features.some(({ agents }) => agents?.interruptions?.word(run, name)) ||
    run.lock.pendingReason(name) !== null ||
    run.slots.mustYield(name)
      ? "pause"
      : ofBudget();
}

/** Kept together with the report of an iteration. */
function endIteration(
  run: Run,
  name: string,
  { signal, decision, iteration }: IterationReport,
  { prompts, commit }: { readonly prompts: Prompts; readonly commit: string | null },
): void {
  run.journal.keepConversation(run.id, name, { iteration, commit });
  closeConversation(run, name);
  run.append({ kind: "TrunkUpdatesDelivered", worker: name, count: prompts.deliveredUpdates() });
  if (signal?.kind === "done" && decision === "done")
    run.append({ kind: "SummaryWritten", worker: name, summary: signal.summary });
  // A question counts when the iteration ends with it.
  if (signal && (signal.kind !== "align-request" || decision === "ask"))
    reportSignal(run, name, signal, iteration);
}

/** A worker's checks as the settings say when they run. */
function currentChecks(run: Run, worker: string, workspace: WorkspaceHandle): CheckRunner {
  let made: { readonly config: Config; readonly look: unknown; readonly runner: CheckRunner } | null = null;
  return {
    async run(options) {
      const { config } = run;
      const { preflight: look } = run.facts;
      if (made?.config !== config || made.look !== look)
        made = { config, look, runner: checkRunner(run, worker, workspace) };
      return made.runner.run(options);
    },
  };
}

/** Whether it should stop at its turn boundary. */
export const isToStop = (run: Run, worker: string): boolean =>
  run.features.some(({ agents }) => agents?.gate?.isClosed?.(run, worker));

/** Records an agent's request from a tool in the capability that handles it. */
function reportSignal(run: Run, worker: string, signal: ToolSignal, iteration: number): void {
  for (const { agents } of run.features) agents?.onSignal?.(run, worker, signal, iteration);
}

/** The first reason why finished work does not count; null where there is none. */
async function whyNotDone(run: Run, work: FinishedWork): Promise<string | null> {
  const byName = Map.groupBy(
    run.features.flatMap(({ agents }) => agents?.refuseDone ?? []),
    ({ name }) => name,
  );
  for (const name of doneChecks)
    for (const { why } of byName.get(name) ?? []) {
      const reason = await why(run, work);
      if (reason !== null) return reason;
    }
  return null;
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
  /** They were recorded in the background since the last save. */
  isRecordedSince: boolean;
}

/** Lists in a worker's transcript, once, which of its files are not recorded. */
function leftOutNotices(run: Run, worker: string) {
  let notified = "";
  const notifiedCaches = new Set<string>();
  const notice = (text: string): void => run.appendTranscript(worker, { kind: "notice", text });
  return {
    /** Files that jj did not record would be lost with the folder without a trace. */
    notifyUntracked(paths: readonly string[]): void {
      const names = paths.map(shownName).toSorted().join(", ");
      if (names !== "" && names !== notified)
        notice(`Untracked, so not part of the result (too large, or the name is not UTF-8): ${names}`);
      notified = names;
    },
    notifyCaches(caches: readonly CacheLeftOut[]): void {
      const updates = caches.filter(({ path }) => !notifiedCaches.has(path));
      for (const { path } of updates) notifiedCaches.add(path);
      if (updates.length === 0) return;
      const names = updates.map(({ path, reason }) => `${shownName(path)} (${reason})`).join(", ");
      notice(`Generated by tools, so not part of the result: ${names}`);
    },
  };
}

/**
 * What an iteration costs in jj: one process that records the files and counts the iteration in the
 * description, if that is certainly unchanged; otherwise a snapshot that also returns the current
 * description. After the checks one describe writes the changed metadata, usually none, and records hooks'
 * changes to files. If the task may have been edited in between, the description is read again. Nothing else
 * is read without a conflict or a message.
 *
 * @param finishedAs the status of finished work: an agent's still has to be reviewed
 */
export function createIterations(
  run: Run,
  worker: string,
  workspace: WorkspaceHandle,
  finishedAs: "review" | "done",
  later?: Later,
) {
  const work: Work = {
    run,
    worker,
    workspace,
    notices: leftOutNotices(run, worker),
    saved: null,
    conflictedFiles: [],
    overridden: null,
    hasChanged: false,
    isRecordedSince: false,
  };
  const background = createBackgroundSnapshots(run, worker, {
    workspace,
    later,
    onRecorded: (recorded) => noteRecorded(work, recorded),
  });
  return {
    /** A tool may have changed files: they are recorded soon, unless they are saved before. */
    wrote: background.wrote,
    /** Nothing is recorded in the background any more until a tool writes again. */
    endBackground: background.giveWay,
    /** Files that jj holds in conflict in the worker's change, as of the last save. */
    conflicts: () => work.conflictedFiles,
    /** The commit of the last save of this process; null: none yet. */
    commit: () => work.saved?.commitId ?? null,
    /** Why finished work may not count as done because of a decision, or null. (HOX-5.2, 5.4) */
    async contradiction(): Promise<string | null> {
      const { saved, overridden, conflictedFiles: inConflict } = work;
      if (saved === null) throw new Error("Work is judged after it was saved.");
      return overridden ?? refuseByCompliance(run, { worker, commit: saved.commitId, inConflict });
    },
    /**
     * Must succeed: unsaved work cannot continue.
     * @param iteration the one whose work it is, when it has ended
     * @returns whether files changed since they were last saved
     */
    async save(iteration?: number): Promise<boolean> {
      await background.giveWay();
      return saveWork(work, iteration);
    },
    /** Must succeed: what cannot be written down did not happen. `alongside` is kept together with it or not at all. */
    report: (report: IterationReport, delivered: readonly MessageView[], alongside: () => void) =>
      reportWork(work, finishedAs, report, { delivered, alongside }),
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
  const now = await judgeSnapshot(run, worker, workspace, recorded);
  notices.notifyUntracked(recorded.unsnapshotted ?? []);
  const hasChanged = now.hasChanged || work.isRecordedSince;
  work.isRecordedSince = false;
  if (hasChanged) notices.notifyCaches(await workspace.cachesLeftOut());
  workspace.showInGit(now.commitId);
  work.saved = now;
  work.hasChanged ||= hasChanged;
  if (now.hasChanged) run.radar.look();
  work.conflictedFiles =
    run.worker(worker).record.conflict === null
      ? []
      : (await run.repository.conflictedFiles(now.commitId)).map(({ path }) => path);
  // Without markers nothing is in conflict any more; whether it follows the decision is judged when it is done.
  if (work.conflictedFiles.length === 0) forgetCompliance(run, worker, "conflict");
  work.overridden = await findOverrides(run, worker, workspace, work.conflictedFiles);
  return hasChanged;
}

/** What was recorded while it works counts as changed with the next save, which judges it. */
function noteRecorded(work: Work, recorded: Recorded): void {
  const { run, worker } = work;
  // Where its workspace is on another change by now, the save moves it back.
  if (recorded.changeId !== run.worker(worker).record.changeId) return;
  work.saved = recorded;
  work.isRecordedSince = true;
  run.radar.look();
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

/**
 * The description of a change, and an operation at which it was certainly current or after which it was
 * edited.
 */
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
      : contradictedDecision(record) !== null
        ? { msgType: null, replyTo: null }
        : {}),
  };
  if (record.changeId !== null) await writeDown(work, record.changeId, patch, report.hooks.length > 0);
  if (contradicts !== null && contradicts !== contradictedDecision(record)) run.metrics.conflictMet(worker);
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
      stalledAfter: run.config.mergeRequests.stalledIterations,
      at: run.now(),
    });
    alongside();
    run.append({ kind: "WorkerMeasured", metrics: run.metrics.of(worker) });
  });
  run.diskUse.look(worker);
  if (run.worker(worker).record.stall?.isAnswered === false) run.schedule();
  await markHandled(run, worker, delivered);
}

/** The decision that it contradicts, from jj's conflicts and other findings. */
const contradictedNow = ({ run, worker, conflictedFiles }: Work): string | null =>
  contradictionsOf(run, worker)[0]?.decision.changeId ??
  (conflictedFiles.length > 0 ? contradictedDecision(run.worker(worker).record) : null);

/** Writes metadata, and records what hooks made of the files where they ran. */
async function writeDown(
  work: Work,
  changeId: string,
  patch: MetadataPatch,
  hasRunHooks: boolean,
): Promise<void> {
  const { run, worker, workspace, saved } = work;
  if (saved === null) return;
  // Checks take a while, and the task may have been dragged or edited meanwhile: its description is written
  // back without reading only if it certainly has not changed since the save.
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
  if (hasRunHooks) run.radar.look();
}

/** The transcript and the figures of an iteration. */
function tell(run: Run, worker: string, { ms, hooks, checks, notes }: IterationReport): void {
  run.metrics.time(worker, "saving", ms.save);
  run.metrics.time(worker, "checking", ms.checks);
  run.metrics.time(worker, "hooks", ms.hooks);
  notifyHookResults(run, worker, hooks);
  if (checks.length > 0) {
    run.metrics.checked(worker, checks);
    run.appendTranscript(worker, { kind: "checks", results: checks });
  }
  for (const note of notes) run.appendTranscript(worker, { kind: "notice", text: note });
  run.worker(worker).recorder.flush();
}

const outcomes = (checks: readonly CheckResult[]): string =>
  checks.map((check) => `${check.command} ${check.outcome}`).join("\n");
