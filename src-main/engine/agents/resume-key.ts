/** Whether an agent may go on in a conversation: only on the ground that the conversation was begun on. */
import { createHash } from "node:crypto";
import { ToolFailure } from "../../tools/tool-failure.ts";
import { workspaceFiles } from "../../tools/workspace-files.ts";
import { modelOf } from "../conversations/conversation-factory.ts";
import { contractsFor, decisionsFor, parentOf } from "../orchestrators/chain-of-command.ts";
import type { Assignment, Run } from "../ports.ts";

/**
 * Names, for an iteration, all that a conversation takes for granted: the model and what it was told once and for all,
 * the decisions, the changes below, and whether the files are in conflict. Messages are left out: they come meanwhile
 * and are told at the end.
 */
export async function resumeKey(
  run: Run,
  {
    worker,
    changeId,
    heading,
    description,
  }: Pick<Assignment, "worker" | "changeId" | "heading" | "description">,
  words: readonly unknown[],
): Promise<(iteration: number) => string> {
  const parents = await run.repository.query(`parents(${changeId})`);
  const parent = parentOf(run, worker);
  const ground = createHash("sha256")
    .update(
      JSON.stringify([
        modelOf(run, worker),
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
    return JSON.stringify([iteration, ground, changeId, below, conflict, contradicts]);
  };
}

/** False when somebody else wrote to a file that the conversation knows. */
export async function filesAreAsKnown(
  run: Run,
  folder: string,
  known: ReadonlyMap<string, string>,
): Promise<boolean> {
  const files = workspaceFiles({
    workspace: folder,
    repository: run.repository.root,
    protectedFiles: run.config.protectedFiles,
  });
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
