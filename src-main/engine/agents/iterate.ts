/** One stretch of an agent's work, from its turn boundary to the next: see `runLoop` for what an iteration is. */
import type { MessageView } from "#shared/contract/views/message.ts";
import { isBlocking } from "#shared/domain/project/known-failures.ts";
import {
  type PromptText,
  prompt,
  promptLine,
  quoteText,
  resourceText,
  section,
} from "#shared/domain/text/prompt-text.ts";
import type { CheckRunner, Conversation } from "../../agent/agent-interface.ts";
import { runLoop } from "../../agent/loop.ts";
import type { IterationReport, LoopEnd, PromptFacts } from "../../agent/loop-interface.ts";
import type { Config } from "../../config/config-interface.ts";
import { loadPrompt } from "../../config/system-prompt.ts";
import { conversationFactory } from "../conversations/conversation-factory.ts";
import { inheritedConversation } from "../conversations/inherited-conversation.ts";
import { startConversation } from "../conversations/open-conversation.ts";
import { Interrupted } from "../engine-errors.ts";
import { readChange } from "../graph-sync/read-change.ts";
import type { PromptAbout } from "../kernel/agent-work.ts";
import { closeConversation } from "../kernel/close-conversation.ts";
import { promptSections } from "../kernel/prompt-sections.ts";
import { allMessages, markDelivered, messagesFor, person } from "../orchestrators/messages.ts";
import type { Assignment, Run, RunPlaces, RunReader, RunTurns } from "../ports.ts";
import { originOf } from "../workers/attempts.ts";
import { lenderOf } from "../workers/inherited-context.ts";
import { gateOf } from "../workers/run-budget.ts";
import { iterationsOf } from "../workers/worker-limits.ts";
import { checkRunner, checksOf } from "../workspaces/checks-of-worker.ts";
import { environmentOf } from "../workspaces/worker-environment.ts";
import type { WorkspaceHandle } from "../workspaces/workspace-interface.ts";
import { type AgentPrefix, agentPrefix, firstHistory } from "./agent-prefix.ts";
import { hooksOf, isToStop, reportSignal, syncBase, whyNotDone } from "./contributions.ts";
import { createIterations, type Iterations } from "./iteration.ts";
import { resumeKey, resumeOpenConversation } from "./resume-key.ts";
import { maxDiffLength, shortenedDiff } from "./worker-notes.ts";

/** @throws Interrupted when it is not wanted any more before it begins */
export async function iterate(run: Run, assignment: Assignment): Promise<LoopEnd> {
  const { worker: name } = assignment;
  const { workspace, isFresh } = await prepareWork(run, assignment);
  const iterations = createIterations(run, name, workspace, assignment.finishedAs);
  refuseUnwanted(run, assignment);
  // A conflict found meanwhile is in the files now; the first prompt must name it.
  if (run.worker(name).record.conflict !== "none") await iterations.save();
  const prompts = createPrompts(run, assignment, iterations);
  const conversations = await createConversations(run, assignment, { workspace, isFresh, prompts });
  const buildPrompt = async (facts: PromptFacts): Promise<PromptText> => {
    if (await syncBase(run, name)) await conversations.followBase();
    return prompts.build(facts);
  };
  const iteration = run.worker(name).record.iteration + 1;
  const failures = run.worker(name).record.checks.filter(isBlocking);
  return runLoop({
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
      if (await syncBase(run, name, true)) await iterations.save();
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
}

/** Each step before its first turn takes jj processes that closing the app, or a pause, would wait for. */
function refuseUnwanted(run: RunTurns, { signal }: Assignment): void {
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
  await syncBase(run, name);
  refuseUnwanted(run, assignment);
  const change = await readChange(run, changeId);
  refuseUnwanted(run, assignment);
  // Once per task, not per iteration, so that the graph shows at once that it is in progress.
  if (change.metadata.status !== "in_progress")
    await run.repository.setMetadata([{ change: changeId, patch: { status: "in_progress" } }], {
      actor: name,
    });
  // Its dependencies may be parallel: then its work begins with merging them.
  if (isFresh && change.conflict && run.worker(name).record.conflict === "none")
    run.append({ kind: "MergeConflictFound", worker: name });
  refuseUnwanted(run, assignment);
  const workspace = await run.workspaces.ensure(name, changeId);
  refuseUnwanted(run, assignment);
  await run.workspaces.setUp(name, workspace, signal);
  if (run.worker(name).record.status !== "in_progress") run.append({ kind: "WorkStarted", worker: name });
  return { workspace, isFresh };
}

interface Prompts {
  build(facts: PromptFacts): Promise<PromptText>;
  /** Messages that came with the last prompt. */
  delivered(): readonly MessageView[];
  /** They came with the prompt before the pause. @param messages change ids */
  wereDelivered(messages: readonly string[]): void;
  /** The user's messages since the last prompt, for a running conversation; null if there are none. */
  wordOnTheWay(): PromptText | null;
  forgetDelivered(): void;
  /** How many updates the last prompt contained. */
  deliveredUpdates(): number;
  /** The task has changed since the last prompt. */
  isTaskChanged(): boolean;
}

function createPrompts(run: Run, assignment: Assignment, iterations: Iterations): Prompts {
  const { worker: name } = assignment;
  const taskNow = () => [assignment.heading, ...assignment.description()].join("\n").trim();
  let task = taskNow();
  let delivered: readonly MessageView[] = [];
  let deliveredUpdates = 0;
  return {
    async build(facts) {
      deliveredUpdates = run.worker(name).record.trunkSync?.news.length ?? 0;
      delivered = messagesFor(run, name);
      markDelivered(run, name, delivered);
      task = taskNow();
      const commit = facts.iteration > 1 ? iterations.commit() : null;
      return forkPrompt(
        run,
        name,
        facts.iteration,
        agentPrompt(run, {
          ...assignment,
          facts,
          messages: delivered,
          conflicts: iterations.conflicts(),
          checks: await checksOf(run, name),
          diff:
            commit === null
              ? null
              : shortenedDiff(await run.repository.diff({ commit, limit: maxDiffLength })),
        }),
      );
    },
    delivered: () => delivered,
    wereDelivered(messages) {
      delivered = allMessages(run).filter(({ changeId }) => messages.includes(changeId));
    },
    wordOnTheWay() {
      const news = messagesFor(run, name).filter(
        ({ from, changeId }) => from === person && !delivered.some((one) => one.changeId === changeId),
      );
      if (news.length === 0) return null;
      delivered = [...delivered, ...news];
      markDelivered(run, name, news);
      return prompt(
        promptLine`[NOTE] The user writes to you while you work. Do what it says, then go on with your task.`,
        ...news.map(({ text }) => section("Message", [quoteText(text)])),
      );
    },
    forgetDelivered() {
      delivered = [];
    },
    deliveredUpdates: () => deliveredUpdates,
    isTaskChanged: () => task !== taskNow(),
  };
}

/**
 * The first prompt of an agent in another one's conversation: forked by the user, or inherited. It says who
 * the agent is now and what differs from the history; then the state of its task, as in every prompt.
 */
function forkPrompt(run: RunReader, worker: string, iteration: number, current: PromptText): PromptText {
  if (iteration !== 1) return current;
  const origin = originOf(run, worker);
  if (origin === null) return inheritedPrompt(run, worker, current);
  return prompt(
    promptLine`[FORK] The user forked this conversation here. Everything above is from ${origin.worker}, which continues separately. From here on you are ${worker}: the task is the same, and you have your own change and workspace.`,
    section("Your files", [quoteText(origin.files)]),
    section("The user says", origin.words === "" ? [] : [quoteText(origin.words)]),
    section("Current state", [current]),
  );
}

/** The history before is its orchestrator's, whose system prompt and tools it uses meanwhile. */
function inheritedPrompt(run: RunReader, worker: string, current: PromptText): PromptText {
  const lender = lenderOf(run, worker, 1);
  if (lender === null) return current;
  return prompt(
    promptLine`[FORK] The conversation above belongs to ${lender}, which continues without you. From here on you are ${worker}: you do one task of its plan, in your own change and workspace. Files may differ there from the text above: read one before you write it.`,
    section("Your instructions from here on", [
      resourceText(loadPrompt("agent", { name: worker, role: worker })),
      promptLine``,
      promptLine`Tools that these do not name are for ${lender} and are refused.`,
    ]),
    section("Current state", [current]),
  );
}

/** The whole task of an agent, because every iteration begins in a fresh context. */
const agentPrompt = (run: Run, about: PromptAbout): PromptText =>
  prompt(
    ...promptSections.flatMap((name) =>
      run.features.flatMap(({ agents }) => agents?.prompt?.[name]?.(run, about) ?? []),
    ),
  );

interface Conversations {
  /** Resumes the one that a pause or a failure left open. */
  readonly isLeftOpen: boolean;
  /** It is as this process left it: its last result was recorded, so that a message can be added. */
  readonly isAsIs: boolean;
  of(iteration: number, isResumed: boolean): Conversation;
  /** Its base has moved: later starts use the new one. */
  followBase(): Promise<void>;
}

async function createConversations(
  run: Run,
  assignment: Assignment,
  {
    workspace,
    isFresh,
    prompts,
  }: { readonly workspace: WorkspaceHandle; readonly isFresh: boolean; readonly prompts: Prompts },
): Promise<Conversations> {
  const { worker: name } = assignment;
  const iteration = run.worker(name).record.iteration + 1;
  const before = iteration === 1 ? firstHistory(run, name) : null;
  const prefixOf = (number: number) => agentPrefix(run, name, number, assignment.promptFile);
  const own = prefixOf(iteration + 1);
  const lender = lenderOf(run, name, iteration);
  const gate = turnGate(run, name);
  const fileRules = { overrides: run.services.compliance.guardWrites(name, workspace) };
  const lent = lender === null ? {} : inheritedConversation(run, name, lender);
  const begin = (words: AgentPrefix & Partial<typeof lent>) =>
    conversationFactory(run, name, { ...words, place: workspace, gate, fileRules });
  // Only its first iteration continues another conversation; the others are its own.
  const later = await begin(own);
  const first = before === null ? later : await begin({ ...prefixOf(iteration), ...lent });
  const startOf = (number: number) => (number === iteration ? first : later);
  const baseKey = () =>
    resumeKey(run, assignment, [own.system, ...own.tools.map((tool) => [tool.name, tool.description])]);
  let key = await baseKey();
  const left = isFresh
    ? null
    : await resumeOpenConversation(
        run,
        name,
        before === null ? workspace : null,
        key(iteration),
        first,
        iteration,
      );
  if (left) prompts.wereDelivered(left.delivered);
  return {
    isLeftOpen: left !== null,
    isAsIs: left?.isAsIs ?? false,
    of: (number, isResumed) =>
      isResumed && left
        ? left.conversation
        : startConversation(run, name, key(number), startOf(number), {
            iteration: number,
            history: number === iteration ? before : null,
            delivered: () => prompts.delivered().map((message) => message.changeId),
          }),
    async followBase() {
      key = await baseKey();
    },
  };
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
  run.append({ kind: "TrunkNewsTold", worker: name, count: prompts.deliveredUpdates() });
  if (signal?.kind === "done" && decision === "done")
    run.append({ kind: "SummaryWritten", worker: name, summary: signal.summary });
  // A question counts when the iteration ends with it.
  if (signal && (signal.kind !== "align-request" || decision === "ask"))
    reportSignal(run, name, signal, iteration);
}

/** A worker's checks as the settings say when they run. */
function currentChecks(run: RunReader & RunPlaces, worker: string, workspace: WorkspaceHandle): CheckRunner {
  let made: { readonly config: Config; readonly look: unknown; readonly runner: CheckRunner } | null = null;
  return {
    async run(options) {
      const { config } = run;
      const { firstLook: look } = run.facts;
      if (made?.config !== config || made.look !== look)
        made = { config, look, runner: checkRunner(run, worker, workspace) };
      return made.runner.run(options);
    },
  };
}
