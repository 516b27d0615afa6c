import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { removeTree } from "../../disk/remove-tree.ts";
import type { ConflictedFile } from "../ports/graph-reader.ts";
import type { DescribeOptions, WriteOptions, Written } from "../ports/graph-writer.ts";
import type { OpenedFolder, Recorded, WorkingCopies, Workspace } from "../ports/working-copies.ts";
import { isWriteConflict, JjError } from "../process/errors.ts";
import { onlyVisible } from "../process/only-visible.ts";
import { locateStore, operationContains } from "../process/op-heads.ts";
import { agentFolderSettings } from "../process/pinned-settings.ts";
import { exactFile, markers, pinned } from "../read/read-access.ts";
import { isFullId } from "../read/read-named.ts";
import type { RememberedContents } from "../read/remembered-contents.ts";
import { changedPaths, conflictedFiles, parseRow, rowTemplate } from "../read/row-template.ts";
import type { Done, QueuedWrite, WriteQueue } from "../write/queue.ts";
import { replaceContent } from "../write/replace-content.ts";
import { createRestoreDescription } from "../write/restore-everything.ts";
import { bringUpToDate } from "../write/update-stale.ts";
import type { RepositoryParts } from "../write/writer-parts.ts";
import { copyEmptyWorkspace, type EmptyWorkspace, readEmptyWorkspace } from "./copied-workspace.ts";
import { createFillWorkspace } from "./fill-workspace.ts";
import { nestedRepositories, refusedFiles } from "./unsnapshotted-files.ts";

/** Makes the workspace calls of a repository. */
export function createWorkspaces(
  shared: RepositoryParts,
  learn: RememberedContents["learn"],
): Omit<WorkingCopies, keyof OpenedFolder> {
  const parts: WorkspaceParts = { ...shared, learn, filesOf: new Map() };
  const { root, queue } = parts;
  const recording = createRecording(parts);
  const fill = createFillWorkspace(parts);
  const handle = (name: string, folder: string): Workspace => createHandle(parts, recording, name, folder);

  /** Inside the queue: forgets workspaces. Their files may be deleted at any time afterwards. */
  const forget = (names: readonly string[], options: WriteOptions | undefined): Promise<Written> =>
    queue.write({
      args: ["--ignore-working-copy", "workspace", "forget", "--", ...names],
      folder: root,
      options,
      describes: [],
    });
  let waiting: { readonly names: string[]; readonly forgotten: Promise<Written> } | null = null;
  /** The same from outside of it: what waits for its turn is forgotten in one process. */
  function forgetTogether(name: string, options: WriteOptions | undefined): Promise<Written> {
    if (waiting) waiting.names.push(name);
    else {
      const names = [name];
      const forgotten = queue.exclusive(() => {
        waiting = null;
        return forget(names, options);
      });
      waiting = { names, forgotten };
    }
    return waiting.forgotten;
  }

  let pattern: EmptyWorkspace | null = null;
  /** Inside the queue: makes a workspace without files that works on a change itself. */
  async function addOn(asked: NewWorkspace, options: WriteOptions): Promise<Written> {
    const { name, folder, change } = asked;
    const view = await parts.memory.view(await parts.settle());
    const isNew = view !== undefined && view.refs.workspaces[name] === undefined;
    if (isNew && pattern !== null && (await copyEmptyWorkspace(pattern, asked)))
      try {
        return await editChange(parts, folder, change, options);
      } catch (error) {
        await removeTree(folder);
        // In a workspace that jj makes it would be the same.
        if (isAboutChange(error)) throw error;
        pattern = null;
      }
    await addEmpty(asked, options);
    pattern = await readEmptyWorkspace(folder, name);
    return editChange(parts, folder, change, options);
  }

  /** Inside the queue: makes a workspace that has no files yet. */
  const addEmpty = ({ name, folder, change }: NewWorkspace, options: WriteOptions): Promise<Written> =>
    queue
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
        // jj creates the workspace before it checks the parent.
        if (error instanceof JjError && error.kind === "rewritten") {
          await forget([name], options);
          await removeTree(folder);
        }
        throw error;
      });

  return {
    workspace: handle,

    addWorkspace: ({ name, folder, change, edit = false, ...options }) =>
      queue.around(async () => {
        const { operation } = await queue.exclusive(() =>
          (edit ? addOn : addEmpty)({ name, folder, change }, options),
        );
        await fill(folder, options);
        parts.filesOf.delete(folder);
        return { operation, workspace: handle(name, folder) };
      }),

    removeWorkspace: ({ name, folder }, options) =>
      queue.around(async () => {
        if (existsSync(folder))
          await queue.exclusive(() => recordBeforeRemoval(parts, recording, folder, options));
        parts.filesOf.delete(folder);
        const { operation } = await forgetTogether(name, options);
        // What marks it as a workspace goes first: all in it is recorded, so a rest that cannot be removed now is none.
        await removeTree(join(folder, ".jj"));
        await removeTree(folder);
        return { operation };
      }),
  };
}

const isAboutChange = (error: unknown): boolean =>
  error instanceof JjError && (error.kind === "no-such-revision" || isWriteConflict(error));

type NewWorkspace = Pick<Workspace, "name" | "folder"> & { readonly change: string };

interface WorkspaceParts extends RepositoryParts {
  /** Called for every commit that files were recorded in. */
  readonly learn: RememberedContents["learn"];
  /** By folder: the commit whose files jj last recorded or wrote there, where it said so. */
  readonly filesOf: Map<string, string>;
}

/** Inside the queue: runs one command in the folder of a workspace that sets no description, unless it says so. */
async function writeIn(
  { queue, filesOf }: WorkspaceParts,
  folder: string,
  args: readonly string[],
  options: WriteOptions | undefined,
  more: Pick<QueuedWrite, "leavesStale" | "input" | "describes"> = { describes: [] },
): Promise<Done> {
  filesOf.delete(folder);
  const done = await queue.write({ args: [...agentFolderSettings, ...args], folder, options, ...more });
  const [, commitId] = worksOn.exec(done.stderr) ?? [];
  if (commitId !== undefined) filesOf.set(folder, commitId);
  return done;
}

/** The commit that a workspace is on, if the files in its folder are those of it; null where that is not known. */
async function freshCommitAt(
  { filesOf, memory, commits }: WorkspaceParts,
  { name, folder }: Pick<Workspace, "name" | "folder">,
  operation: string,
): Promise<string | null> {
  const written = filesOf.get(folder);
  const commit = (await memory.view(operation))?.refs.workspaces[name];
  if (written === undefined || commit === undefined) return null;
  if (written === commit) return commit;
  // A new description keeps the files.
  const [one, other] = [await commits.read(written), await commits.read(commit)];
  return one !== undefined && one.files === other?.files ? commit : null;
}

/** Our settings make jj say whole ids. Where a file is not UTF-8 there is an error in place of the diff. */
const worksOn = /^Working copy +\(@\) now at: ([0-9a-f]{40,}) ([k-z]{32})(?: (\[.*\])\n(".*")?)?/m;
const reportedFiles = z.tuple([z.array(z.string()), z.array(z.tuple([z.string(), z.number()]))]);
const reportTemplate = `"[" ++ ${changedPaths} ++ "," ++ ${conflictedFiles} ++ "]"`;

/** Bytes of a diff that is read in advance; a prompt has room for less. */
const maxReportedDiff = 50_000;
/** jj cuts between characters: up to three bytes before. */
const diffTemplate = `json(stringify(self.diff().git()).substr(0, ${maxReportedDiff + 4}))`;

/** With the diff of one in conflict, which is compared with decisions. */
const commitAndDescription = [
  ...[...markers, "log", "--no-graph", "-r", "@"],
  ...[
    "-T",
    `self.commit_id() ++ "\\n" ++ self.change_id() ++ "\\n" ++ ${reportTemplate} ++ "\\n" ++ if(self.conflict(), ${diffTemplate}) ++ "\\n" ++ self.description()`,
  ],
];
/** Has a command that moves the working copy report its files and their diff, so that no second process reads them. */
const reportFiles = (diff: string): readonly string[] => [
  "--config",
  `templates.commit_summary=${JSON.stringify(`self.commit_id() ++ " " ++ self.change_id() ++ if(self.current_working_copy(), " " ++ ${reportTemplate} ++ "\n" ++ ${diff})`)}`,
];

/** Recorded files, and what they change. */
interface RecordedWithDiff extends Recorded {
  readonly conflicts: readonly ConflictedFile[];
  /** Their whole diff; undefined where it is too long or not all of it is text. */
  readonly diff?: string;
}

type ReportedFiles = Pick<RecordedWithDiff, "commitId" | "changeId" | "paths" | "conflicts" | "diff">;

/** Reads what `reportFiles` made jj print; null if it left the working copy as it was or was interrupted. */
function parseReport(stderr: string): ReportedFiles | null {
  const [, commitId, changeId, report, quotedDiff] = worksOn.exec(stderr) ?? [];
  if (commitId === undefined || changeId === undefined || report === undefined) return null;
  const files = { commitId, changeId, ...filesIn(report) };
  return { ...files, ...diffIn(quotedDiff) };
}

/** Nothing where it is too long, or jj printed an error in its place. */
function diffIn(quoted = ""): Pick<RecordedWithDiff, "diff"> {
  if (!quoted.startsWith('"')) return {};
  const diff = z.string().parse(JSON.parse(quoted));
  return Buffer.byteLength(diff) > maxReportedDiff ? {} : { diff };
}

function filesIn(report: string): Pick<RecordedWithDiff, "paths" | "conflicts"> {
  const [paths, conflicts] = reportedFiles.parse(JSON.parse(report));
  return { paths, conflicts: conflicts.map(([path, sides]) => ({ path, sides })) };
}

function split(
  output: string,
): Pick<RecordedWithDiff, "commitId" | "changeId" | "description" | "paths" | "conflicts" | "diff"> {
  const [commitId = "", changeId = "", report = "", quotedDiff = ""] = output.split("\n", 4);
  return {
    commitId,
    changeId,
    ...filesIn(report),
    ...diffIn(quotedDiff),
    description: output.slice(commitId.length + changeId.length + report.length + quotedDiff.length + 4),
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

type Recording = ReturnType<typeof createRecording>;

/** Makes what records the files of workspaces; its calls are to be made from inside the queue, where they do not take a turn. */
function createRecording(parts: WorkspaceParts) {
  const { store, queue, ownWrites, lfs, filesOf } = parts;
  const restoreDescription = createRestoreDescription(parts);
  const say = (folder: string) => sayAt(parts, folder);
  /** Folders whose diff was too long or not text. It would be again, and other writes would wait for it. */
  const withoutDiff = new Set<string>();
  const reportFilesIn = (folder: string): readonly string[] =>
    reportFiles(withoutDiff.has(folder) ? '""' : diffTemplate);
  const readReport = (folder: string, { stderr }: Pick<Done, "stderr">): ReportedFiles | null => {
    const files = parseReport(stderr);
    if (files && files.diff === undefined) withoutDiff.add(folder);
    return files;
  };

  /** Inside the queue: records the files. Any jj command does; this one also says the commit and its description. */
  async function record(
    folder: string,
    options: WriteOptions | undefined,
    more: Pick<QueuedWrite, "leavesStale"> = {},
  ): Promise<RecordedWithDiff> {
    const done = await writeIn(parts, folder, commitAndDescription, options, { describes: [], ...more });
    const hasChanged =
      done.hasChanged && (await operationContains(store, done.operation, "snapshot working copy")) !== false;
    // Recorded, but disturbed before it could say so.
    if (done.stdout === "") return { ...(await say(folder)), operation: done.operation, hasChanged };
    const said = split(done.stdout);
    filesOf.set(folder, said.commitId);
    return {
      ...said,
      operation: done.operation,
      hasChanged,
      ...refusedIn(done.stderr),
    };
  }

  /** Inside the queue: records the files and nothing else; null where the workspace is stale. */
  async function recordOnly(folder: string, options: WriteOptions): Promise<Recorded | null> {
    try {
      const recorded = await record(folder, options, { leavesStale: true });
      await parts.learn(recorded.commitId, recorded);
      return recorded;
    } catch (error) {
      if (error instanceof JjError && error.kind === "stale") return null;
      throw error;
    }
  }

  /**
   * Puts pointers where files that Git LFS keeps were written with their content, and records those. The content itself goes
   * where git-lfs has its own, so that nothing of it is lost. What it looks at does not change, so others go on meanwhile.
   * @param turn takes a turn in the queue; from inside one it is there already
   * @returns the files as recorded anew; null where there was nothing to put
   */
  async function putPointers(
    folder: string,
    files: Omit<ReportedFiles, "changeId">,
    options: WriteOptions | undefined,
    turn: WriteQueue["exclusive"] = queue.exclusive,
  ): Promise<Recorded | null> {
    const { commitId, paths } = files;
    await parts.learn(commitId, files);
    const contents = await lfs.contentAmong(commitId, paths);
    if (contents.length === 0) return null;
    return turn(async () => {
      let isWritten = false;
      for (const content of contents)
        if (await replaceContent(folder, content.path, content.size, await lfs.keep(content)))
          isWritten = true;
      return isWritten ? { ...(await record(folder, options)), hasChanged: true } : null;
    });
  }

  /** What was recorded, or what was recorded anew with pointers. */
  async function withPointers(
    folder: string,
    files: RecordedWithDiff,
    options: WriteOptions | undefined,
    turn?: WriteQueue["exclusive"],
  ): Promise<Recorded> {
    const { diff: _, conflicts: _conflicts, ...recorded } = files;
    return (await putPointers(folder, files, options, turn)) ?? recorded;
  }

  /** Records the files, moves a change with its descendants, and updates the files to it. */
  async function rebase(
    folder: string,
    { source, onto }: { readonly source: string; readonly onto: readonly string[] },
    options: WriteOptions,
  ): Promise<Written> {
    const args = ["rebase", "-s", onlyVisible(source), ...onto.flatMap((one) => ["-o", onlyVisible(one)])];
    const done = await queue.exclusive(
      () => writeIn(parts, folder, [...reportFilesIn(folder), ...args], options),
      options.canWait,
    );
    const files = readReport(folder, done);
    const again = files && (await putPointers(folder, files, options));
    return { operation: again?.operation ?? done.operation };
  }

  /** Inside the queue: records the files, then sets the description, as two operations of one command. */
  async function recordAndDescribe(
    folder: string,
    change: string,
    description: string,
    { since, ...options }: DescribeOptions = {},
  ): Promise<RecordedWithDiff> {
    if (since !== undefined && (await ownWrites.mayBeDescribedSince(change, since)))
      return record(folder, options);
    const args = [...reportFilesIn(folder), "describe", "--stdin", "-r", onlyVisible(change)];
    const done = await writeIn(parts, folder, args, options, {
      input: description,
      ...(isFullId(change) ? { describes: [change] } : {}),
    });
    const files = readReport(folder, done);
    const fullDescription =
      description === "" || description.endsWith("\n") ? description : `${description}\n`;
    const kept =
      since === undefined ? null : await restoreDescription(change, since, done.operation, options);
    return {
      // Described already, written outside this workspace, or interrupted before it could report.
      ...(files?.changeId === change && kept === null
        ? { ...files, description: fullDescription }
        : await say(folder)),
      operation: kept?.operation ?? done.operation,
      hasChanged: done.hasChanged && (await ownWrites.recordedFiles(done.operation)) !== false,
      ...refusedIn(done.stderr),
    };
  }

  /** Inside the queue: updates the files to a rewritten commit. @returns whether they were stale */
  async function update(folder: string, options: WriteOptions | undefined): Promise<boolean> {
    filesOf.delete(folder);
    const settings = [...agentFolderSettings, ...reportFilesIn(folder)];
    const { updated, stderr } = await bringUpToDate(parts, folder, options, settings);
    const files = readReport(folder, { stderr });
    if (files) {
      filesOf.set(folder, files.commitId);
      await parts.learn(files.commitId, files);
    }
    return updated;
  }

  return { say, record, recordOnly, withPointers, recordAndDescribe, rebase, update };
}

/** A command line has room for no more. */
const pathsAtOnce = 200;

/** Inside the queue: makes the workspace in a folder work on another change. */
const editChange = async (
  parts: WorkspaceParts,
  folder: string,
  change: string,
  options: WriteOptions | undefined,
): Promise<Written> => ({
  operation: (await writeIn(parts, folder, ["edit", "-r", onlyVisible(change)], options)).operation,
});

/** Makes the handle of one workspace. */
function createHandle(parts: WorkspaceParts, recording: Recording, name: string, folder: string): Workspace {
  const { jj, queue, current, settle } = parts;
  const { say, record, recordOnly, withPointers, recordAndDescribe, rebase, update } = recording;
  return {
    name,
    folder,
    snapshot: (options) =>
      queue.around(async () =>
        withPointers(folder, await queue.exclusive(() => record(folder, options)), options),
      ),
    describe: (change, description, options) =>
      queue.around(async () =>
        withPointers(
          folder,
          await queue.exclusive(() => recordAndDescribe(folder, change, description, options)),
          options,
        ),
      ),
    snapshotInBackground: ({ isWanted, ...options }) =>
      queue.exclusive(async () => (isWanted() ? recordOnly(folder, options) : null)),
    isQueueBusy: queue.isBusy,
    freshCommit: async () => freshCommitAt(parts, { name, folder }, await current()),
    updateStale: (options) =>
      queue.exclusive(async () => {
        const before = await settle();
        if (await freshCommitAt(parts, { name, folder }, before))
          return { operation: before, updated: false };
        const updated = await update(folder, options);
        return { operation: await settle(), updated };
      }),
    takeFiles: (commit, options) =>
      queue.exclusive(async () => {
        const args = ["restore", "--from", commit];
        const { operation, hasChanged } = await writeIn(parts, folder, args, options);
        return { ...(await say(folder)), operation, hasChanged };
      }),
    restorePaths: (paths, from, options) =>
      queue.exclusive(async () => {
        const source = from === null ? ["--changes-in", "@"] : ["--from", from, "--into", "@"];
        for (let at = 0; at < paths.length; at += pathsAtOnce)
          await writeIn(
            parts,
            folder,
            ["restore", ...source, "--", ...paths.slice(at, at + pathsAtOnce).map(exactFile)],
            options,
          );
        return { ...(await say(folder)), operation: await settle(), hasChanged: true };
      }),
    rebase: ({ source, onto, ...options }) => queue.around(() => rebase(folder, { source, onto }, options)),
    edit: (change, options) => queue.exclusive(() => editChange(parts, folder, change, options)),
    async workingCopy() {
      const { stdout } = await jj.run({
        args: [...pinned(folder, await current()), "log", "--no-graph", "-r", "@", "-T", rowTemplate()],
        cwd: folder,
      });
      return parseRow(stdout).change;
    },
  };
}

/** With this a workspace is made without any files. */
const withoutFiles = ["--sparse-patterns", "empty"] as const;

/** Inside the queue. @throws JjError `unsaved-files` where jj does not record all that is there */
async function recordBeforeRemoval(
  parts: WorkspaceParts,
  recording: Recording,
  folder: string,
  options: WriteOptions | undefined,
): Promise<void> {
  await requireSecondary(parts, folder);
  const recorded = await recording.record(folder, options);
  const { unsnapshotted = [] } = await recording.withPointers(folder, recorded, options, (task) => task());
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
