import { readdir, stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createSerial } from "#shared/async/serial.ts";
import { removeTree } from "../../disk/remove-tree.ts";
import type { WriteOptions } from "../ports/graph-writer.ts";
import { JjError } from "../process/errors.ts";
import { agentFolderSettings } from "../process/pinned-settings.ts";
import { createRecentAnswers } from "../read/recent-answers.ts";
import { bringUpToDate } from "../write/update-stale.ts";
import type { RepositoryParts } from "../write/writer-parts.ts";

/** Retries when the change was rewritten or jj was killed meanwhile. */
const attempts = 3;

/**
 * Makes what writes the files of a workspace that was made without any. That takes longest of all that jj does for an
 * agent, changes nothing that others see, and so needs no turn in the queue: it is to be called from outside.
 */
export function createFillWorkspace({
  jj,
  root,
  store,
  queue,
}: Pick<RepositoryParts, "jj" | "root" | "store" | "queue">) {
  const patterns = createRecentAnswers<readonly string[]>(Number.POSITIVE_INFINITY);

  /** The user's sparse patterns: agents get the same. Read once for each state. */
  async function userPatterns(): Promise<readonly string[]> {
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

  /** As many at once as there are processors: the first are done soon, where all at once would be done late. */
  const lanes = createSerial();
  let filled = 0;
  return (folder: string, options: WriteOptions | undefined): Promise<void> =>
    lanes.run(`${filled++ % availableParallelism()}`, () => fillWorkspace(folder, options));

  async function fillWorkspace(folder: string, options: WriteOptions | undefined): Promise<void> {
    const shown = (await userPatterns()).flatMap((pattern) => ["--add", pattern]);
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
  }
}

/** A file that was written in part would count as an edit of the agent. */
async function removeFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (name !== ".jj") await removeTree(join(folder, name));
}
