import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "../disk/remove-tree.ts";
import { JjError } from "./errors.ts";
import { agentFolderSettings } from "./pinned-settings.ts";
import type { WriteOptions } from "./ports/graph-writer.ts";
import { createRecentAnswers } from "./recent-answers.ts";
import type { WorkspaceParts } from "./recording.ts";
import { bringUpToDate } from "./update-stale.ts";

/** So often it is begun again when somebody rewrote the change or killed jj meanwhile. */
const attempts = 3;

/** With this a workspace is made without any files. */
export const withoutFiles = ["--sparse-patterns", "empty"] as const;

/**
 * Makes what writes the files of a workspace that was made without any. That takes longest of all that jj does for an
 * agent, changes nothing that others see, and so needs no turn in the queue: it is to be called from outside.
 */
export function createFillWorkspace({
  jj,
  root,
  store,
  queue,
}: Pick<WorkspaceParts, "jj" | "root" | "store" | "queue">) {
  const patterns = createRecentAnswers<readonly string[]>(Number.POSITIVE_INFINITY);

  /** What of the tree the person's own workspace holds: agents get the same. Read once for each state of it. */
  async function personsPatterns(): Promise<readonly string[]> {
    // jj writes a new file at each change of it.
    const state = await stat(join(root, ".jj", "working_copy", "tree_state"));
    return patterns.ask(`${state.ino} ${state.mtimeMs}`, "patterns", async () => {
      const { stdout } = await jj.run({
        args: ["-R", root, "--ignore-working-copy", "--quiet", "sparse", "list"],
        cwd: root,
      });
      return stdout.split("\n").filter((line) => line !== "");
    });
  }

  return async function fillWorkspace(folder: string, options: WriteOptions | undefined): Promise<void> {
    const shown = (await personsPatterns()).flatMap((pattern) => ["--add", pattern]);
    for (let attempt = 1; ; attempt++)
      try {
        await jj.run({
          args: ["-R", folder, ...agentFolderSettings, "--quiet", "sparse", "set", "--clear", ...shown],
          cwd: folder,
        });
        return;
      } catch (error) {
        if (!(error instanceof JjError) || attempt === attempts) throw error;
        if (error.kind === "stale")
          await queue.exclusive(() => bringUpToDate({ jj, store }, folder, options, agentFolderSettings));
        else if (error.kind === "killed") await removeFiles(folder);
        else throw error;
      }
  };
}

/** A file that was written in part would count as an edit of the agent. */
async function removeFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (name !== ".jj") await removeTree(join(folder, name));
}
