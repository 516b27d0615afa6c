import { z } from "zod";
import type { Lfs } from "./lfs.ts";
import { onlyVisible } from "./only-visible.ts";
import type { Store } from "./op-heads.ts";
import { operationHolds } from "./op-heads.ts";
import type { OwnWrites } from "./own-writes.ts";
import { agentFolderSettings } from "./pinned-settings.ts";
import type { DescribeOptions, WriteOptions } from "./ports/graph-writer.ts";
import type { Recorded } from "./ports/working-copies.ts";
import type { Jj } from "./process.ts";
import type { WriteQueue } from "./queue.ts";
import { pinned } from "./read-access.ts";
import { isFullId } from "./read-named.ts";
import { createReader } from "./reader.ts";
import { replaceContent } from "./replace-content.ts";
import { createRestoreDescription } from "./restore-description.ts";
import { changedPaths } from "./row-template.ts";
import { refusedFiles } from "./unsnapshotted-files.ts";

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
  /** Told of every commit that files were recorded in. */
  readonly recorded: (commit: Pick<Recorded, "commitId" | "paths">) => Promise<void>;
}

/** Our settings make jj say whole ids. */
const worksOn = /^Working copy +\(@\) now at: ([0-9a-f]{40,}) ([k-z]{32})(?: (\[.*\]))?/m;
const pathList = z.array(z.string());

const commitAndDescription = [
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

/** What the workspace in a folder works on. */
async function sayAt({ jj, settle }: WorkspaceParts, folder: string) {
  const { stdout } = await jj.run({
    args: [...pinned(folder, await settle()), ...commitAndDescription],
    cwd: folder,
  });
  return split(stdout);
}

function refusedIn(stderr: string): Pick<Recorded, "unsnapshotted"> {
  const unsnapshotted = refusedFiles(stderr);
  return unsnapshotted.length === 0 ? {} : { unsnapshotted };
}

export type Recording = ReturnType<typeof createRecording>;

/** Makes what records the files of workspaces; each of its calls is to be made from inside the queue. */
export function createRecording(parts: WorkspaceParts) {
  const { jj, root, store, queue, ownWrites, lfs, current } = parts;
  const restoreDescription = createRestoreDescription({
    root,
    queue,
    ownWrites,
    reader: createReader(jj, root, current),
  });
  const say = (folder: string) => sayAt(parts, folder);

  /** Inside the queue: records the files. Any jj command does; this one also says the commit and its description. */
  async function record(folder: string, options: WriteOptions | undefined): Promise<Recorded> {
    const done = await queue.write({
      args: [...agentFolderSettings, ...commitAndDescription],
      folder,
      options,
      describes: [],
    });
    const hasChanged =
      done.hasChanged && (await operationHolds(store, done.operation, "snapshot working copy")) !== false;
    // Recorded, but disturbed before it could say so.
    if (done.stdout === "") return { ...(await say(folder)), operation: done.operation, hasChanged };
    return {
      ...split(done.stdout),
      operation: done.operation,
      hasChanged,
      ...refusedIn(done.stderr),
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
    await parts.recorded(recorded);
    const contents = await lfs.contentAmong(recorded.commitId, recorded.paths);
    let isWritten = false;
    for (const content of contents)
      if (await replaceContent(folder, content.path, content.size, await lfs.keep(content))) isWritten = true;
    return isWritten ? { ...(await record(folder, options)), hasChanged: true } : recorded;
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
      args: [...agentFolderSettings, ...sayPaths, "describe", "--stdin", "-r", onlyVisible(change)],
      folder,
      options,
      input: description,
      ...(isFullId(change) ? { describes: [change] } : {}),
    });
    const [, commitId, changeId, paths] = worksOn.exec(done.stderr) ?? [];
    const fullDescription =
      description === "" || description.endsWith("\n") ? description : `${description}\n`;
    const kept =
      since === undefined ? null : await restoreDescription(change, since, done.operation, options);
    return {
      // Said before already, done beside this workspace, or disturbed before it could say what it made.
      ...(commitId !== undefined && changeId === change && paths !== undefined && kept === null
        ? { commitId, changeId, description: fullDescription, paths: pathList.parse(JSON.parse(paths)) }
        : await say(folder)),
      operation: kept?.operation ?? done.operation,
      hasChanged: done.hasChanged && (await ownWrites.recordedFiles(done.operation)) !== false,
      ...refusedIn(done.stderr),
    };
  }

  return { say, record, withPointers, recordAndDescribe };
}
