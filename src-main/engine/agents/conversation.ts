/** The conversation of an iteration: a new one, the one that a pause left open, or somebody else's that it goes on in. */

import { createHash } from "node:crypto";
import type { ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import { contradictedDecision, mergedSidesOf } from "#shared/domain/worker/worker-record.ts";
import type { Conversation, ResumeToken } from "../../agent/agent-interface.ts";
import { systemPrompt } from "../../config/resources-folder.ts";
import { agentTools } from "../../tools/agent-tools.ts";
import { type Tool, ToolFailure } from "../../tools/tool-interface.ts";
import {
  conversationFactory,
  externalChoice,
  inheritedConversation,
  openConversation,
  ownModel,
  resumeConversation,
  type StartConversation,
  startConversation,
} from "../conversations/conversation-factory.ts";
import { overrideRules } from "../features/decisions/decisions/overrides.ts";
import { lenderSystem, lentTools } from "../orchestrators/orchestrator-tools.ts";
import type { Assignment, Run } from "../ports.ts";
import { speaksAs } from "../workers/attempts.ts";
import { contractsFor, decisionsFor, parentOf } from "../workers/hierarchy.ts";
import { beginsWith, lenderOf } from "../workers/inherited-context.ts";
import { keepTodos, plannedSteps } from "../workers/todos.ts";
import { checkCommands } from "../workspaces/check-options.ts";
import type { CheckoutHandle, WorkspaceHandle } from "../workspaces/workspace-interface.ts";
import { noticingWrites } from "./background-snapshots.ts";
import type { Prompts } from "./prompt.ts";

export async function createConversations(
  run: Run,
  assignment: Assignment,
  {
    workspace,
    isFresh,
    prompts,
    gate,
    wrote,
  }: {
    readonly workspace: WorkspaceHandle;
    readonly isFresh: boolean;
    readonly prompts: Pick<Prompts, "delivered" | "wereDelivered">;
    readonly gate: () => "pause" | "budget" | null;
    /** Hears when a tool may have changed files. */
    readonly wrote: () => void;
  },
) {
  const { worker: name } = assignment;
  const iteration = run.worker(name).record.iteration + 1;
  const before = iteration === 1 ? firstHistory(run, name) : finishedHistory(run, name);
  const prefixOf = (number: number) => agentPrefix(run, name, number, assignment.promptFile);
  const own = prefixOf(iteration + 1);
  const lender = lenderOf(run, name, iteration);
  const fileRules = overrideRules(run, name, workspace);
  const lent = lender === null ? {} : inheritedConversation(run, name, lender);
  const begin = (words: AgentPrefix & Partial<typeof lent> & { readonly model?: string }) =>
    conversationFactory(run, name, {
      ...(externalChoice(run, name) === null
        ? words
        : { ...words, onEntry: noticingCalls(run, name, wrote) }),
      ...{ workspace, place: noticingWrites(workspace, wrote), gate, fileRules },
    });
  // Made while the first iteration may still have its lender's model.
  const later = await begin({ ...own, model: ownModel(run, name) });
  // Its first iteration may continue another worker's conversation, with that one's prompt and tools.
  const first = before === null || iteration > 1 ? later : await begin({ ...prefixOf(iteration), ...lent });
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
    /** Resumes the one that a pause or a failure left open. */
    isLeftOpen: left !== null,
    /** Continues the one in which it reported done. */
    isContinued: before !== null && iteration > 1,
    /** It is as this process left it: its last result was recorded, so that a message can be added. */
    isAsIs: left?.isAsIs ?? false,
    of: (number: number, isResumed: boolean): Conversation =>
      isResumed && left
        ? left.conversation
        : startConversation(run, name, key(number), startOf(number), {
            iteration: number,
            history: number === iteration ? before : null,
            delivered: () => prompts.delivered().map((message) => message.changeId),
          }),
    /** Its base has moved: later starts use the new one. */
    async followBase(): Promise<void> {
      key = await baseKey();
    },
  };
}

/** Any call of an agent of another make may have changed files; the steps that it plans are its list. */
const noticingCalls =
  (run: Run, name: string, wrote: () => void) =>
  (entry: ConversationEntry): void => {
    run.appendTranscript(name, entry);
    if (entry.kind === "tool-result") wrote();
    const steps = plannedSteps(entry);
    if (steps !== null) keepTodos(run, name, steps);
  };

export interface AgentPrefix {
  readonly system: string;
  readonly tools: readonly Tool[];
}

/** What an agent of another make has tools of its own for. */
const ownTools = new Set(
  agentTools().flatMap(({ name }) => (name === "report_done" || name === "align_request" ? [] : [name])),
);

/** @param promptFile of its role */
export function agentPrefix(run: Run, name: string, iteration: number, promptFile: string): AgentPrefix {
  const tools = [
    ...agentTools({
      commandTimeoutSeconds: run.config.loopDefaults.commandTimeoutSeconds,
      checks: checkCommands(run),
    }),
    ...run.features.flatMap((feature) => feature.agents?.tools?.(run, name) ?? []),
  ];
  // Its files and commands are its own; Hox's tools are for what the run has to know.
  if (externalChoice(run, name) !== null)
    return {
      system: systemPrompt("external-agent", speaksAs(run, name, iteration), {}),
      tools: tools.filter((tool) => !ownTools.has(tool.name)),
    };
  const lender = lenderOf(run, name, iteration);
  return lender === null
    ? { system: systemPrompt(promptFile, speaksAs(run, name, iteration), {}), tools }
    : { system: lenderSystem(run, lender), tools: lentTools(run, lender, tools) };
}

/** The conversation that its first iteration continues. If it is gone, the agent starts fresh. */
function firstHistory(run: Run, name: string): ResumeToken | null {
  const history = beginsWith(run, name);
  const { inherits } = run.worker(name).record;
  if (history === null && inherits !== null) {
    run.append({ kind: "ContextChosen", worker: name, from: null });
    run.appendTranscript(name, {
      kind: "notice",
      text: `The conversation of ${inherits.from} was deleted to make room for newer ones. ${name} starts without it.`,
    });
  }
  return history;
}

/**
 * The conversation in which an agent finished work that now conflicts with merged work: it knows what its lines are for.
 * Null if it resolves none, has tried before, or the conversation was deleted to make room.
 */
function finishedHistory(run: Run, name: string): ResumeToken | null {
  const { record } = run.worker(name);
  const { conflict, iteration } = record;
  if (mergedSidesOf(record).length === 0 || conflict?.kind !== "merge" || conflict.after !== iteration)
    return null;
  const kept = run.journal.keptConversation(run.id, name, iteration);
  return kept === null || kept === "made-way" ? null : kept.token;
}

/**
 * A hash of all that an iteration's conversation relies on: the model, the system prompt, the decisions, the
 * ancestors, and whether the files are in conflict. Without messages, which are delivered during it.
 */
async function resumeKey(
  run: Run,
  {
    worker,
    changeId,
    heading,
    description,
  }: Pick<Assignment, "worker" | "changeId" | "heading" | "description">,
  words: readonly unknown[],
): Promise<(iteration: number) => string> {
  const parents = await run.repository.parentsOf(changeId);
  const parent = parentOf(run, worker);
  const basis = createHash("sha256")
    .update(
      JSON.stringify([
        ownModel(run, worker),
        words,
        heading,
        description(),
        contractsFor(run, parent),
        decisionsFor(run, parent),
      ]),
    )
    .digest("hex")
    .slice(0, 16);
  const below = parents.map((parent) => parent.changeId).toSorted();
  return (iteration) => {
    const { record } = run.worker(worker);
    const conflict = [record.conflict?.kind ?? "none", contradictedDecision(record)];
    return JSON.stringify([iteration, basis, changeId, below, ...conflict]);
  };
}

/**
 * The conversation that was left open for this, unless others wrote to a file that it has read.
 * @param workspace null: its files differed from the start, as a fork is told
 */
async function resumeOpenConversation(
  run: Run,
  worker: string,
  workspace: CheckoutHandle | null,
  key: string,
  start: StartConversation,
  iteration: number,
): Promise<{
  readonly conversation: Conversation;
  readonly delivered: readonly string[];
  /** False after a restart: its last result may not have been recorded. */
  readonly isAsIs: boolean;
} | null> {
  const left = openConversation(run, worker, key);
  if (left === null) return null;
  const conversation = resumeConversation(run, worker, left, start, iteration);
  const { delivered } = left;
  return workspace === null || (await areFilesUnchanged(workspace, conversation.readFiles()))
    ? { conversation, delivered, isAsIs: left.conversation !== null }
    : null;
}

/** False if others wrote to a file that the conversation has read. */
async function areFilesUnchanged(
  workspace: CheckoutHandle,
  known: ReadonlyMap<string, string>,
): Promise<boolean> {
  const files = workspace.files();
  for (const [path, hash] of known) {
    try {
      if ((await files.readText(path)).hash !== hash) return false;
    } catch (error) {
      if (error instanceof ToolFailure) return false;
      throw error;
    }
  }
  return true;
}
