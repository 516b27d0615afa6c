/** One stretch of an agent's work, from its turn boundary to the next: see `runLoop` for what an iteration is. */

import { isBlocking } from "#shared/domain/project/preflight.ts";
import type { PromptText } from "#shared/domain/text/prompt-text.ts";
import type { CheckRunner } from "../../agent/agent-interface.ts";
import { type IterationReport, type LoopEnd, type PromptFacts, runLoop } from "../../agent/loop.ts";
import type { Config } from "../../config/config-interface.ts";
import type { ToolSignal } from "../../tools/tool-interface.ts";
import { externalChoice } from "../conversations/conversation-factory.ts";
import { travelRule } from "../conversations/external-agents.ts";
import { Interrupted } from "../engine-errors.ts";
import { hooksOf } from "../features/landing/user-hooks/feature.ts";
import { readChange } from "../graph-sync/read-change.ts";
import type { FinishedWork } from "../kernel/agent-work.ts";
import { closeConversation } from "../kernel/close-conversation.ts";
import { doneChecks } from "../kernel/gates.ts";
import type { Assignment, Run } from "../ports.ts";
import { gateOf, iterationsOf } from "../workers/worker-limits.ts";
import { checkCommands, checkRunner } from "../workspaces/check-options.ts";
import { environmentOf } from "../workspaces/port-leases.ts";
import { syncWithTrunk } from "../workspaces/trunk.ts";
import type { WorkspaceHandle } from "../workspaces/workspace-interface.ts";
import { createConversations } from "./conversation.ts";
import { createPrompts, type Prompts } from "./prompt.ts";
import { createIterations } from "./recorded-iterations.ts";

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
  // Its dependencies may be parallel: then its work begins with merging them.
  if (isFresh && change.conflict && run.worker(name).record.conflict === null)
    run.append({ kind: "MergeConflictFound", worker: name });
  refuseUnwanted(run, assignment);
  // Once per task, not per iteration, so that the graph shows at once that it is in progress.
  const marked =
    change.metadata.status === "in_progress"
      ? null
      : run.repository.setMetadata([{ change: changeId, patch: { status: "in_progress" } }], { actor: name });
  // jj writes it before it makes the workspace, without another turn in between.
  marked?.catch(() => undefined);
  const workspace = await run.workspaces.ensure(name, changeId);
  await marked;
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
