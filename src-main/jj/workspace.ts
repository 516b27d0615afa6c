import { access, realpath } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { removeTree } from "../disk/remove-tree.ts";
import { JjError } from "./errors.ts";
import { createKeepWords } from "./keep-words.ts";
import { nestedRepositories, refusedFiles } from "./left-out.ts";
import type { Lfs } from "./lfs.ts";
import type { Store } from "./op-heads.ts";
import { locateStore, operationHolds } from "./op-heads.ts";
import type { OwnWrites } from "./own-writes.ts";
import type { Jj } from "./process.ts";
import { agentFolderSettings } from "./process.ts";
import type { WriteQueue } from "./queue.ts";
import { changedPaths, createReader, exactFile, pinned } from "./reader.ts";
import { replaceContent } from "./replace-content.ts";
import type {
  DescribeOptions,
  Recorded,
  Repository,
  Workspace,
  WriteOptions,
  Written,
} from "./repository-interface.ts";
import { parseRow, rowTemplate } from "./row-template.ts";
import { standing } from "./standing.ts";
import { bringUpToDate } from "./update-stale.ts";

export interface WorkspaceParts {
  readonly jj: Jj;
  readonly root: string;
  readonly store: Store;
  readonly queue: WriteQueue;
  readonly ownWrites: OwnWrites;
  readonly lfs: Lfs;
  readonly current: () => Promise<string>;
  /** The one current operation, reconciled if need be; to be called from inside the queue. */
  readonly settle: () => Promise<string>;
}

export type Workspaces = Pick<Repository, "addWorkspace" | "workspace" | "removeWorkspace">;

const fullId = /^[k-z]{32}$/;
/** A command line has room for no more. */
const pathsAtOnce = 200;
/** Our settings make jj say whole ids. */
const worksOn = /^Working copy +\(@\) now at: ([0-9a-f]{40,}) ([k-z]{32})(?: (\[.*\]))?/m;
const pathList = z.array(z.string());

/** Makes the workspace calls of a repository. */
export function createWorkspaces(parts: WorkspaceParts): Workspaces {
  const { jj, root, store, queue, ownWrites, lfs, current, settle } = parts;
  const keepWords = createKeepWords({ root, queue, ownWrites, reader: createReader(jj, root, current) });
  const commitAndWords = [
    ...["log", "--no-graph", "-r", "@"],
    ...[
      "-T",
      `self.commit_id() ++ "\\n" ++ self.change_id() ++ "\\n" ++ ${changedPaths} ++ "\\n" ++ self.description()`,
    ],
  ];
  /** What a command that moves the working copy says of it: no second process has to ask for its files. */
  const sayPaths = [
    "--config",
    `templates.commit_summary=${JSON.stringify(`self.commit_id() ++ " " ++ self.change_id() ++ if(self.current_working_copy(), " " ++ ${changedPaths})`)}`,
  ];

  function split(output: string): Pick<Recorded, "commitId" | "changeId" | "description" | "paths"> {
    const [commitId = "", changeId = "", paths = ""] = output.split("\n", 3);
    return {
      commitId,
      changeId,
      paths: pathList.parse(JSON.parse(paths)),
      description: output.slice(commitId.length + changeId.length + paths.length + 3),
    };
  }

  async function say(folder: string) {
    const { stdout } = await jj.run({
      args: [...pinned(folder, await settle()), ...commitAndWords],
      cwd: folder,
    });
    return split(stdout);
  }

  /** Inside the queue: records the files. Any jj command does; this one also says the commit and its description. */
  async function record(folder: string, options: WriteOptions | undefined): Promise<Recorded> {
    const done = await queue.write({
      args: [...agentFolderSettings, ...commitAndWords],
      folder,
      options,
      describes: [],
    });
    const changed =
      done.changed && (await operationHolds(store, done.operation, "snapshot working copy")) !== false;
    // Recorded, but disturbed before it could say so.
    if (done.stdout === "") return { ...(await say(folder)), operation: done.operation, changed };
    const leftOut = refusedFiles(done.stderr);
    return {
      ...split(done.stdout),
      operation: done.operation,
      changed,
      ...(leftOut.length === 0 ? {} : { leftOut }),
    };
  }

  /**
   * Inside the queue: puts pointers where files that Git LFS keeps were written with their content, and records those. The
   * content itself goes where git-lfs has its own, so that nothing of it is lost.
   */
  async function withPointers(
    folder: string,
    recorded: Recorded,
    options: WriteOptions | undefined,
  ): Promise<Recorded> {
    const contents = await lfs.contentAmong(recorded.commitId, recorded.paths);
    let isWritten = false;
    for (const content of contents)
      if (await replaceContent(folder, content.path, content.size, await lfs.keep(content))) isWritten = true;
    return isWritten ? { ...(await record(folder, options)), changed: true } : recorded;
  }

  /** Inside the queue: records the files, then sets the description, as two operations of one command. */
  async function recordAndDescribe(
    folder: string,
    change: string,
    description: string,
    { since, ...options }: DescribeOptions = {},
  ): Promise<Recorded> {
    if (since !== undefined && (await ownWrites.mayBeDescribedSince(change, since)))
      return record(folder, options);
    const done = await queue.write({
      args: [...agentFolderSettings, ...sayPaths, "describe", "--stdin", "-r", standing(change)],
      folder,
      options,
      input: description,
      ...(fullId.test(change) ? { describes: [change] } : {}),
    });
    const [, commitId, changeId, paths] = worksOn.exec(done.stderr) ?? [];
    const told = description === "" || description.endsWith("\n") ? description : `${description}\n`;
    const leftOut = refusedFiles(done.stderr);
    const kept = since === undefined ? null : await keepWords(change, since, done.operation, options);
    return {
      // Said before already, done beside this workspace, or disturbed before it could say what it made.
      ...(commitId !== undefined && changeId === change && paths !== undefined && kept === null
        ? { commitId, changeId, description: told, paths: pathList.parse(JSON.parse(paths)) }
        : await say(folder)),
      operation: kept?.operation ?? done.operation,
      changed: done.changed && (await ownWrites.recordedFiles(done.operation)) !== false,
      ...(leftOut.length === 0 ? {} : { leftOut }),
    };
  }

  function handle(name: string, folder: string): Workspace {
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
          const updated = await bringUpToDate(jj, folder, options, agentFolderSettings);
          return { operation: await settle(), updated };
        }),
      takeFiles: (commit, options) =>
        queue.exclusive(async () => {
          const { operation, changed } = await queue.write({
            args: [...agentFolderSettings, "restore", "--from", commit],
            folder,
            options,
            describes: [],
          });
          return { ...(await say(folder)), operation, changed };
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
          return { ...(await say(folder)), operation: await settle(), changed: true };
        }),
      edit: (change, options) =>
        queue.exclusive(async () => {
          const done = await queue.write({
            args: [...agentFolderSettings, "edit", "-r", standing(change)],
            folder,
            options,
            describes: [],
          });
          return { operation: done.operation };
        }),
      async workingCopy() {
        const { stdout } = await jj.run({
          args: [...pinned(folder, await current()), "log", "--no-graph", "-r", "@", "-T", rowTemplate()],
          cwd: folder,
        });
        return parseRow(stdout).change;
      },
    };
  }

  const exists = (folder: string): Promise<boolean> =>
    access(folder).then(
      () => true,
      () => false,
    );

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
              standing(change),
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
          args: [...agentFolderSettings, "edit", "-r", standing(change)],
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
          const own = await locateStore(workspace.folder);
          const [here, its] = await Promise.all([realpath(store.folder), realpath(own.folder)]);
          if (here !== its || (await realpath(workspace.folder)) === (await realpath(root)))
            throw new JjError({
              kind: "no-such-workspace",
              message: `${workspace.folder} is not a secondary workspace of ${root}.`,
            });
          const recorded = await record(workspace.folder, options);
          const { leftOut = [] } = await withPointers(workspace.folder, recorded, options);
          const unsaved = [...leftOut, ...(await nestedRepositories(workspace.folder, store))];
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
