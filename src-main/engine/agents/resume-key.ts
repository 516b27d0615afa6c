/** Whether an agent may resume a conversation: only on the base that it was started on. */
import { createHash } from "node:crypto";
import type { Conversation } from "../../agent/agent-interface.ts";
import { ToolFailure } from "../../tools/tool-failure.ts";
import { ownModel, type StartConversation } from "../conversations/conversation-factory.ts";
import { openConversation, resumeConversation } from "../conversations/open-conversation.ts";
import type { Assignment, RunGraph, RunJournal, RunReader } from "../ports.ts";
import { contractsFor, decisionsFor, parentOf } from "../workers/hierarchy.ts";
import type { CheckoutHandle } from "../workspaces/workspace-interface.ts";

/**
 * A hash of all that an iteration's conversation relies on: the model, the system prompt, the decisions, the
 * ancestors, and whether the files are in conflict. Without messages, which are delivered during it.
 */
export async function resumeKey(
  run: RunReader & RunGraph,
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
    const { conflict, contradicts } = run.worker(worker).record;
    return JSON.stringify([iteration, basis, changeId, below, conflict, contradicts]);
  };
}

/**
 * The conversation that was left open for this, unless others wrote to a file that it has read.
 * @param workspace null: its files differed from the start, as a fork is told
 */
export async function resumeOpenConversation(
  run: RunReader & RunJournal,
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
