import { access, realpath } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "../disk/remove-tree.ts";
import { JjError } from "./errors.ts";
import { onlyVisible } from "./only-visible.ts";
import { locateStore } from "./op-heads.ts";
import { agentFolderSettings } from "./pinned-settings.ts";
import type { WriteOptions, Written } from "./ports/graph-writer.ts";
import type { WorkingCopies, Workspace } from "./ports/working-copies.ts";
import { createRecording, type WorkspaceParts } from "./recording.ts";
import { nestedRepositories } from "./unsnapshotted-files.ts";
import { createHandle } from "./workspace-handle.ts";

/** Makes the workspace calls of a repository. */
export function createWorkspaces(parts: WorkspaceParts): WorkingCopies {
  const { root, store, queue } = parts;
  const recording = createRecording(parts);
  const handle = (name: string, folder: string): Workspace => createHandle(parts, recording, name, folder);

  /** Inside the queue: takes a workspace away with its files. */
  async function forget(name: string, folder: string, options: WriteOptions | undefined): Promise<Written> {
    const { operation } = await queue.write({
      args: ["--ignore-working-copy", "workspace", "forget", "--", name],
      folder: root,
      options,
      describes: [],
    });
    // What marks it as a workspace goes first: all in it is recorded, so a rest that cannot be removed now is none.
    await removeTree(join(folder, ".jj"));
    await removeTree(folder);
    return { operation };
  }

  return {
    workspace: handle,

    addWorkspace: ({ name, folder, change, edit = false, ...options }) =>
      queue.exclusive(async () => {
        const added = await queue
          .write({
            args: [
              ...agentFolderSettings,
              "workspace",
              "add",
              "--no-colocate",
              "--name",
              name,
              "-r",
              onlyVisible(change),
              "--",
              folder,
            ],
            folder: root,
            options,
            describes: [],
          })
          .catch(async (error: unknown) => {
            // jj makes the workspace before it looks what it shall stand on.
            if (error instanceof JjError && error.kind === "rewritten") await forget(name, folder, options);
            throw error;
          });
        const workspace = handle(name, folder);
        if (!edit) return { operation: added.operation, workspace };
        const done = await queue.write({
          args: [...agentFolderSettings, "edit", "-r", onlyVisible(change)],
          folder,
          options,
          describes: [],
        });
        return { operation: done.operation, workspace };
      }),

    removeWorkspace: (workspace, options): Promise<Written> =>
      queue.exclusive(async () => {
        const there = await exists(workspace.folder);
        if (there) {
          await requireSecondary(parts, workspace.folder);
          const recorded = await recording.record(workspace.folder, options);
          const { unsnapshotted = [] } = await recording.withPointers(workspace.folder, recorded, options);
          const unsaved = [...unsnapshotted, ...(await nestedRepositories(workspace.folder, store))];
          if (unsaved.length > 0)
            throw new JjError({
              kind: "unsaved-files",
              message: `${workspace.folder} holds what jj does not record: ${unsaved.join(", ")}`,
            });
        }
        return forget(workspace.name, workspace.folder, options);
      }),
  };
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
