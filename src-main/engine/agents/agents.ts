import type { MessageView } from "#shared/contract/views/message.ts";
import { isBlocking } from "#shared/domain/project/known-failures.ts";
import type { PromptText } from "#shared/domain/text/prompt-text.ts";
import type { CheckRunner } from "../../agent/agent-interface.ts";
import { runLoop } from "../../agent/loop.ts";
import type { LoopEnd, PromptFacts } from "../../agent/loop-interface.ts";
import type { PostToolsHook } from "../../agent/post-tools-hooks.ts";
import type { Config } from "../../config/config-interface.ts";
import { systemPrompt } from "../../config/system-prompt.ts";
import { agentTools } from "../../tools/agent-tools.ts";
import type { ToolSignal } from "../../tools/tool-interface.ts";
import { conversationFactory } from "../conversations/conversation-factory.ts";
import { startConversation } from "../conversations/open-conversation.ts";
import { Interrupted } from "../engine-errors.ts";
import { readChange } from "../graph-sync/read-change.ts";
import type { FinishedWork } from "../kernel/agent-work.ts";
import { closeConversation } from "../kernel/close-conversation.ts";
import { allMessages, messagesFor } from "../orchestrators/messages.ts";
import type { Assignment, Run } from "../ports.ts";
import { pendingTrouble, trouble } from "../trouble/trouble.ts";
import { markBlocked } from "../workers/blocked-workers.ts";
import { isHeld, isReplaced } from "../workers/hold-worker.ts";
import { gateOf } from "../workers/run-budget.ts";
import { iterationsOf, spentBudgetOf } from "../workers/worker-limits.ts";
import { checkRunner, checksOf } from "../workspaces/checks-of-worker.ts";
import { environmentOf } from "../workspaces/worker-environment.ts";
import type { WorkspaceHandle } from "../workspaces/workspace-interface.ts";
import { agentPrompt } from "./agent-prompt.ts";
import { createIterations } from "./iteration.ts";
import { asLeft, resumeKey } from "./resume-key.ts";
import { longestDiff, shortenedDiff } from "./worker-notes.ts";

/** Works on one change until it is done: conflicts gone, checks passed, question answered. */
export async function workUntilDone(run: Run, assignment: Assignment): Promise<void> {
  const { worker: name, changeId, signal: wanted } = assignment;
  run.worker(name).signal = wanted;
  const finished = () => ["done", assignment.finishedAs].includes(run.worker(name).record.status);
  await pendingTrouble(run, name);
  for (;;) {
    // Finished before a restart, or meanwhile by the hands of a person, and nobody has heard of it yet.
    if (finished()) {
      run.setActivity(name, assignment.finishedAs === "done" ? "done" : "waiting", "");
      return;
    }
    if (await hasWaited(run, name, wanted)) continue;
    run.setActivity(name, "sleeping", "waits for a free place");
    const release = await run.slots.take(name, wanted).catch(() => {
      throw new Interrupted();
    });
    let end: LoopEnd;
    try {
      if (run.held() || wanted.aborted) throw new Interrupted();
      if (isHeld(run, name) || isReplaced(run, name)) continue;
      end = await run.lock.withShared(name, () => iterate(run, assignment));
    } catch (error) {
      // What it said last may not have been heard out: gone on with from the journal, it is told again.
      if (!(error instanceof Interrupted)) run.worker(name).open = null;
      throw error;
    } finally {
      release();
      run.worker(name).recorder.flush();
    }
    switch (end.kind) {
      case "done":
        run.setActivity(name, assignment.finishedAs === "done" ? "done" : "waiting", "");
        return;
      case "ask":
      case "wait":
        break;
      case "gate":
        if (end.gate === "budget") run.dispatch({ kind: "BudgetExhausted" });
        if (run.held() || wanted.aborted) {
          run.setActivity(name, "paused", "");
          throw new Interrupted();
        }
        if (isToStop(run, name) || spentBudgetOf(run, name) !== null || run.slots.mustYield(name)) break;
        // Something is being written below: it waits at the barrier and goes on.
        run.setActivity(name, "waiting", run.lock.pendingReason(name) ?? "goes on");
        break;
      case "aborted":
        run.setActivity(name, "paused", "");
        throw new Interrupted();
      case "failed":
        await overcome(run, name, `${name} got no answer from its model`, end.error);
        break;
      case "blocked":
        markBlocked(run, name, "blocked", end.reason);
        break;
      case "iteration-limit":
        markBlocked(
          run,
          name,
          "iterations",
          end.failures.map((check) => `${check.name}: ${check.outcome}`).join("; ") || "No check failed.",
        );
        break;
    }
    if (changeId !== run.worker(name).record.changeId) throw new Interrupted();
  }
}

async function overcome(run: Run, worker: string, title: string, error: unknown): Promise<void> {
  if (!(await trouble(run, { of: worker, worker, title, error }))) throw new Interrupted();
}

/** What runs after the tools of a turn, of all capabilities. */
const hooksOf = async (run: Run, worker: string): Promise<readonly PostToolsHook[]> =>
  (await Promise.all(run.features.flatMap(({ agents }) => agents?.hooks?.(run, worker) ?? []))).flat();

/** Passes all that may hold an agent before its turn. True as soon as one of them did: then another may by now. */
async function hasWaited(run: Run, worker: string, wanted: AbortSignal): Promise<boolean> {
  const gates = run.features.flatMap(({ agents }) => agents?.gate ?? []);
  for (const { pass } of gates.toSorted((one, other) => one.place - other.place))
    if (await pass(run, worker, wanted)) return true;
  return false;
}

const isToStop = (run: Run, worker: string): boolean =>
  run.features.some(({ agents }) => agents?.gate?.isClosed?.(run, worker));

async function iterate(run: Run, assignment: Assignment): Promise<LoopEnd> {
  const { worker: name, signal: wanted } = assignment;
  const worker = run.worker(name);
  /** Each step below takes jj processes that a closing app, or a person who pauses, would have to wait for. */
  const checkWanted = (): void => {
    if (run.runEnded.signal.aborted || wanted.aborted) throw new Interrupted();
  };
  checkWanted();
  const fresh = run.workspaces.of(name) === null;
  await syncBase(run, name);
  checkWanted();
  const change = await readChange(run, assignment.changeId);
  checkWanted();
  // Once per task, not per iteration: who looks at the graph sees at once that somebody works on it.
  if (change.metadata.status !== "in_progress")
    await run.repository.setMetadata([{ change: assignment.changeId, patch: { status: "in_progress" } }], {
      actor: name,
    });
  // What it waited for may lie beside each other: then bringing that together is where its work begins.
  if (fresh && change.conflict && worker.record.conflict === "none")
    run.append({ kind: "MergeConflictFound", worker: name });
  checkWanted();
  const workspace = await run.workspaces.ensure(name, assignment.changeId);
  checkWanted();
  await run.workspaces.setUp(name, workspace, wanted);
  if (worker.record.status !== "in_progress") run.append({ kind: "WorkStarted", worker: name });

  const iterations = createIterations(run, name, workspace, assignment.finishedAs);
  checkWanted();
  // A conflict found meanwhile stands in the files now; the first prompt must name them.
  if (worker.record.conflict !== "none") await iterations.save();
  let delivered: readonly MessageView[] = [];
  const wordsNow = () => [assignment.heading, ...assignment.description()].join("\n").trim();
  /** The task as it was last told. */
  let words = wordsNow();
  /** How much of what came in the prompt tells. */
  let told = 0;
  const buildPrompt = async (facts: PromptFacts): Promise<PromptText> => {
    if (await syncBase(run, name)) key = await groundKey();
    told = worker.record.trunkSync?.news.length ?? 0;
    delivered = messagesFor(run, name);
    words = wordsNow();
    const commit = facts.iteration > 1 ? iterations.commit() : null;
    return agentPrompt(run, {
      ...assignment,
      facts,
      messages: delivered,
      conflicts: iterations.conflicts(),
      checks: await checksOf(run, name),
      diff: commit === null ? null : shortenedDiff(await run.repository.diff({ commit, limit: longestDiff })),
    });
  };

  const { config } = run;
  const gate = () =>
    worker.signal?.aborted ||
    // Its tools know the settings that they were made with: it goes on at once with others.
    run.config !== config ||
    isToStop(run, name) ||
    run.lock.pendingReason(name) !== null ||
    run.slots.mustYield(name)
      ? "pause"
      : gateOf(run, name)();
  const system = systemPrompt(assignment.promptFile, name, {});
  const tools = [
    ...agentTools({ commandTimeoutSeconds: run.config.loopDefaults.commandTimeoutSeconds }),
    ...run.features.flatMap((feature) => feature.agents?.tools?.(run, name) ?? []),
  ];
  const fileRules = { overrides: run.services.compliance.guardWrites(name, workspace) };
  const start = await conversationFactory(run, name, { system, tools, place: workspace, gate, fileRules });

  const iteration = worker.record.iteration + 1;
  const groundKey = () =>
    resumeKey(run, assignment, [system, ...tools.map((tool) => [tool.name, tool.description])]);
  let key = await groundKey();
  const left = fresh ? null : await asLeft(run, name, workspace, key(iteration), start, iteration);
  if (left) delivered = allMessages(run).filter(({ changeId }) => left.delivered.includes(changeId));

  return runLoop({
    // Asked anew before each iteration: a person may change it meanwhile.
    get maxIterations() {
      return iterationsOf(run, name);
    },
    run: workspace.run,
    environment: environmentOf(run, name),
    signal: run.runEnded.signal,
    resume: {
      iteration,
      prompt: left
        ? null
        : await buildPrompt({
            iteration,
            failures: worker.record.checks.filter(isBlocking),
            notes: [],
          }),
    },
    buildPrompt,
    conversation(number, isResumed) {
      return isResumed && left
        ? left.conversation
        : startConversation(run, name, key(number), start, {
            iteration: number,
            delivered: () => delivered.map((message) => message.changeId),
          });
    },
    async afterTools(iteration) {
      run.setActivity(name, "checking", "saving");
      return iterations.save(iteration);
    },
    hooks: () => hooksOf(run, name),
    checks: currentChecks(run, name, workspace),
    async onQuestion(question) {
      tellSignal(run, name, question, run.worker(name).record.iteration + 1);
      // Whatever waits for an answer is looked for.
      run.schedule();
    },
    async catchUp() {
      if (await syncBase(run, name, true)) await iterations.save();
    },
    refuseDone: () =>
      whyNotDone(run, {
        worker: name,
        delivered,
        conflicts: iterations.conflicts(),
        isTaskChanged: words !== wordsNow(),
        contradiction: iterations.contradiction,
      }),
    async onIteration(report) {
      await iterations.report(report, delivered, () => {
        closeConversation(run, name);
        run.append({ kind: "TrunkNewsTold", worker: name, count: told });
        const { signal, decision } = report;
        if (signal?.kind === "done" && decision === "done")
          run.append({ kind: "SummaryWritten", worker: name, summary: signal.summary });
        // A question counts when the iteration ends with it.
        if (signal && (signal.kind !== "align-request" || decision === "ask"))
          tellSignal(run, name, signal, report.iteration);
      });
      delivered = [];
    },
  });
}

/** Takes in what others did meanwhile. @returns whether its change stands on other ground than before */
async function syncBase(run: Run, worker: string, again = false): Promise<boolean> {
  let hasMoved = false;
  for (const { agents } of run.features) if (await agents?.syncBase?.(run, worker, again)) hasMoved = true;
  return hasMoved;
}

function tellSignal(run: Run, worker: string, signal: ToolSignal, iteration: number): void {
  for (const { agents } of run.features) agents?.onSignal?.(run, worker, signal, iteration);
}

/** The first reason, in the order of their places, why finished work does not count; null where there is none. */
async function whyNotDone(run: Run, work: FinishedWork): Promise<string | null> {
  const checks = run.features.flatMap(({ agents }) => agents?.refuseDone ?? []);
  for (const { why } of checks.toSorted((one, other) => one.place - other.place)) {
    const reason = await why(run, work);
    if (reason !== null) return reason;
  }
  return null;
}

/** A worker's checks as the settings say when they run. */
function currentChecks(run: Run, worker: string, workspace: WorkspaceHandle): CheckRunner {
  let made: { readonly config: Config; readonly runner: CheckRunner } | null = null;
  return {
    async run(options) {
      if (made?.config !== run.config)
        made = { config: run.config, runner: checkRunner(run, worker, workspace) };
      return made.runner.run(options);
    },
  };
}
