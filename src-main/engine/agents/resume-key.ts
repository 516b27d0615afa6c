/** Whether an agent may go on in a conversation: only on the ground that the conversation was begun on. */

import { createHash } from "node:crypto";
import { contradictedDecision } from "#shared/domain/worker/worker-record.ts";
import type { Conversation } from "../../agent/agent-interface.ts";
import { ToolFailure } from "../../tools/tool-failure.ts";
import { ownModel, type StartConversation } from "../conversations/conversation-factory.ts";
import { openConversation, resumeConversation } from "../conversations/open-conversation.ts";
import type { Assignment, RunGraph, RunJournal, RunReader } from "../ports.ts";
import { contractsFor, decisionsFor, parentOf } from "../workers/hierarchy.ts";
import type { CheckoutHandle } from "../workspaces/workspace-interface.ts";

/**
 * Names, for an iteration, all that a conversation takes for granted: the model and what it was told once and for all,
 * the decisions, the changes below, and whether the files are in conflict. Messages are left out: they come meanwhile
 * and are told at the end.
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
    const { record } = run.worker(worker);
    const conflict = [record.conflict?.kind ?? "none", contradictedDecision(record)];
    return JSON.stringify([iteration, basis, changeId, below, ...conflict]);
  };
}

/**
 * The conversation that was left open for this, unless somebody else wrote to a file that it knows.
 * @param workspace null: its files were others than it knows from the beginning, as a fork is told
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
  /** False where an earlier process left it: nobody knows whether its last word was heard. */
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

/** False when somebody else wrote to a file that the conversation knows. */
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
