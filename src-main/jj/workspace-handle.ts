import { onlyVisible } from "./only-visible.ts";
import { agentFolderSettings } from "./pinned-settings.ts";
import type { WriteOptions, Written } from "./ports/graph-writer.ts";
import type { Workspace } from "./ports/working-copies.ts";
import type { WriteQueue } from "./queue.ts";
import { exactFile, pinned } from "./read-access.ts";
import type { Recording, WorkspaceParts } from "./recording.ts";
import { parseRow, rowTemplate } from "./row-template.ts";
import { bringUpToDate } from "./update-stale.ts";

/** A command line has room for no more. */
const pathsAtOnce = 200;

/** Inside the queue: makes the workspace in a folder work on another change. */
export async function editChange(
  queue: WriteQueue,
  folder: string,
  change: string,
  options: WriteOptions | undefined,
): Promise<Written> {
  const { operation } = await queue.write({
    args: [...agentFolderSettings, "edit", "-r", onlyVisible(change)],
    folder,
    options,
    describes: [],
  });
  return { operation };
}

/** Makes the handle of one workspace. */
export function createHandle(
  parts: WorkspaceParts,
  recording: Recording,
  name: string,
  folder: string,
): Workspace {
  const { jj, store, queue, current, settle } = parts;
  const { say, record, withPointers, recordAndDescribe } = recording;
  return {
    name,
    folder,
    snapshot: (options) =>
      queue.exclusive(async () => withPointers(folder, await record(folder, options), options)),
    describe: (change, description, options) =>
      queue.exclusive(async () =>
        withPointers(folder, await recordAndDescribe(folder, change, description, options), options),
      ),
    updateStale: (options) =>
      queue.exclusive(async () => {
        const updated = await bringUpToDate({ jj, store }, folder, options, agentFolderSettings);
        return { operation: await settle(), updated };
      }),
    takeFiles: (commit, options) =>
      queue.exclusive(async () => {
        const { operation, hasChanged } = await queue.write({
          args: [...agentFolderSettings, "restore", "--from", commit],
          folder,
          options,
          describes: [],
        });
        return { ...(await say(folder)), operation, hasChanged };
      }),
    restorePaths: (paths, from, options) =>
      queue.exclusive(async () => {
        const source = from === null ? ["--changes-in", "@"] : ["--from", from, "--into", "@"];
        for (let at = 0; at < paths.length; at += pathsAtOnce)
          await queue.write({
            args: [
              ...agentFolderSettings,
              ...["restore", ...source, "--"],
              ...paths.slice(at, at + pathsAtOnce).map(exactFile),
            ],
            folder,
            options,
            describes: [],
          });
        return { ...(await say(folder)), operation: await settle(), hasChanged: true };
      }),
    edit: (change, options) => queue.exclusive(() => editChange(queue, folder, change, options)),
    async workingCopy() {
      const { stdout } = await jj.run({
        args: [...pinned(folder, await current()), "log", "--no-graph", "-r", "@", "-T", rowTemplate()],
        cwd: folder,
      });
      return parseRow(stdout).change;
    },
  };
}
