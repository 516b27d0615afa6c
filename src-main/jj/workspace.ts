import { access, realpath } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "../disk/remove-tree.ts";
import { JjError } from "./errors.ts";
import { createFillWorkspace, withoutFiles } from "./fill-workspace.ts";
import { onlyVisible } from "./only-visible.ts";
import { locateStore } from "./op-heads.ts";
import { agentFolderSettings } from "./pinned-settings.ts";
import type { WriteOptions, Written } from "./ports/graph-writer.ts";
import type { OpenedFolder, WorkingCopies, Workspace } from "./ports/working-copies.ts";
import { createRecording, type Recording, type WorkspaceParts } from "./recording.ts";
import { nestedRepositories } from "./unsnapshotted-files.ts";
import { createHandle, editChange } from "./workspace-handle.ts";

/** Makes the workspace calls of a repository. */
export function createWorkspaces(parts: WorkspaceParts): Omit<WorkingCopies, keyof OpenedFolder> {
  const { root, queue } = parts;
  const recording = createRecording(parts);
  const fill = createFillWorkspace(parts);
  const handle = (name: string, folder: string): Workspace => createHandle(parts, recording, name, folder);

  /** Inside the queue: takes a workspace away. Its files are nobody's then, and may go at any time. */
  async function forget(name: string, folder: string, options: WriteOptions | undefined): Promise<Written> {
    const { operation } = await queue.write({
      args: ["--ignore-working-copy", "workspace", "forget", "--", name],
      folder: root,
      options,
      describes: [],
    });
    // What marks it as a workspace goes first: all in it is recorded, so a rest that cannot be removed now is none.
    await removeTree(join(folder, ".jj"));
    return { operation };
  }

  /** Inside the queue: makes a workspace that has no files yet. */
  async function addEmpty(
    { name, folder, change, edit }: { name: string; folder: string; change: string; edit: boolean },
    options: WriteOptions,
  ): Promise<Written> {
    const added = await queue
      .write({
        args: [
          ...agentFolderSettings,
          ...["workspace", "add", "--no-colocate", "--name", name, ...withoutFiles],
          ...["-r", onlyVisible(change), "--", folder],
        ],
        folder: root,
        options,
        describes: [],
      })
      .catch(async (error: unknown) => {
        // jj makes the workspace before it looks what it shall stand on.
        if (error instanceof JjError && error.kind === "rewritten") {
          await forget(name, folder, options);
          await removeTree(folder);
        }
        throw error;
      });
    return edit ? editChange(queue, folder, change, options) : { operation: added.operation };
  }

  return {
    workspace: handle,

    addWorkspace: ({ name, folder, change, edit = false, ...options }) =>
      queue.around(async () => {
        const { operation } = await queue.exclusive(() => addEmpty({ name, folder, change, edit }, options));
        await fill(folder, options);
        return { operation, workspace: handle(name, folder) };
      }),

    removeWorkspace: ({ name, folder }, options) =>
      queue.around(async () => {
        const { operation } = await queue.exclusive(async () => {
          if (await exists(folder)) await recordBeforeRemoval(parts, recording, folder, options);
          return forget(name, folder, options);
        });
        await removeTree(folder);
        return { operation };
      }),
  };
}

/** Inside the queue. @throws JjError `unsaved-files` where jj does not record all that is there */
async function recordBeforeRemoval(
  parts: WorkspaceParts,
  recording: Recording,
  folder: string,
  options: WriteOptions | undefined,
): Promise<void> {
  await requireSecondary(parts, folder);
  const recorded = await recording.record(folder, options);
  const { unsnapshotted = [] } = await recording.withPointers(folder, recorded, options);
  const unsaved = [...unsnapshotted, ...(await nestedRepositories(folder, parts.store))];
  if (unsaved.length > 0)
    throw new JjError({
      kind: "unsaved-files",
      message: `${folder} has untracked files: ${unsaved.join(", ")}`,
    });
}

/** @throws JjError `no-such-workspace` */
async function requireSecondary({ root, store }: WorkspaceParts, folder: string): Promise<void> {
  const own = await locateStore(folder);
  const [here, its] = await Promise.all([realpath(store.folder), realpath(own.folder)]);
  if (here !== its || (await realpath(folder)) === (await realpath(root)))
    throw new JjError({
      kind: "no-such-workspace",
      message: `${folder} is not a secondary workspace of ${root}.`,
    });
}

const exists = (folder: string): Promise<boolean> =>
  access(folder).then(
    () => true,
    () => false,
  );
