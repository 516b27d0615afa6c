import { realpath } from "node:fs/promises";
import { basename } from "node:path";
import { createCurrentOperation } from "./current-operation.ts";
import { dryRun } from "./dry-run.ts";
import { JjError } from "./errors.ts";
import { createGitBridge } from "./git-bridge.ts";
import { createCommitStore } from "./graph-memory/commit-store.ts";
import { createGraphMemory } from "./graph-memory/graph-memory.ts";
import { createHome } from "./home-workspace.ts";
import { inspectFolder } from "./inspect-folder.ts";
import { createLandingSeries } from "./landing-series.ts";
import { createLfs } from "./lfs.ts";
import { createNamedQueries } from "./named-queries.ts";
import { createNotedReads } from "./noted-reads.ts";
import { createNotes } from "./notes.ts";
import { locateStore } from "./op-heads.ts";
import { createOpenedFolder } from "./opened-folder.ts";
import { readOperations } from "./operations.ts";
import { createOwnWrites } from "./own-writes.ts";
import { createPerson } from "./person.ts";
import { createJj } from "./process.ts";
import { createPush } from "./push.ts";
import { createPushNotes } from "./push-notes.ts";
import { createQueue } from "./queue.ts";
import { createReader } from "./reader.ts";
import { rememberContents } from "./remembered-contents.ts";
import type { Repository } from "./repository-interface.ts";
import { requireVersion } from "./require-version.ts";
import { createRestoreEverything } from "./restore-everything.ts";
import { createRunRemains } from "./run-remains.ts";
import { createTrialMerge } from "./trial-merge.ts";
import { createWatcher } from "./watching.ts";
import { createWorkspaces } from "./workspace.ts";
import { createWriter } from "./writer.ts";

/**
 * Opens the jj repository that a folder belongs to; a sub-folder opens the workspace around it.
 * @param folder any folder inside a jj workspace
 * @throws JjError `not-a-repository` (see `inspectFolder` for what the folder is instead), `jj-missing`, `too-old`
 */
export async function openRepository(folder: string): Promise<Repository> {
  const found = await inspectFolder(folder);
  if (found.kind !== "jj")
    throw new JjError({
      kind: "not-a-repository",
      message: `${folder} is not inside a jj repository.`,
      ...("remedy" in found ? { remedy: found.remedy } : {}),
    });
  const root = await realpath(found.root);
  const store = await locateStore(root);
  const jj = createJj();
  const person = createPerson(jj, root);
  await Promise.all([requireVersion(jj, root), person.identify()]);
  const ownWrites = createOwnWrites(store);
  const home = createHome(jj, root);
  const queue = createQueue(jj, store, ownWrites, async (asked) => (asked === root ? home.place() : asked));

  const { current, settle } = createCurrentOperation({ jj, root, store, queue, ownWrites });
  const reader = createReader(jj, root, current);
  const commits = createCommitStore(root);
  const contents = rememberContents(reader, commits);
  const memory = createGraphMemory({
    store,
    ownWrites,
    commits,
    read: (revset, operation, limit) => reader.query(revset, { operation, limit }),
  });
  const named = createNamedQueries({ current, memory, reader });
  const writerParts = { jj, root, store, queue, ownWrites, reader, memory, settle };
  const writer = createWriter(writerParts);
  const lfs = createLfs(root);
  const workspaces = createWorkspaces({
    lfs,
    jj,
    root,
    store,
    queue,
    ownWrites,
    current,
    settle,
    recorded: ({ commitId, paths }) => contents.learnPaths(commitId, paths),
  });
  const notes = createNotes(root);
  const pushNotes = createPushNotes({ root, queue, notes, identity: person.identify });
  const { watcher, stop } = createWatcher({ jj, root, store, queue, current });

  return {
    root,
    name: basename(root),
    currentOperation: current,
    mayBeDescribedSince: ownWrites.mayBeDescribedSince,
    onlyOwnBetween: ownWrites.onlyOwnBetween,
    ...reader,
    ...createNotedReads({ reader, memory, notes }),
    keepsNotes: notes.isAvailable,
    pushNotes: pushNotes.pushNotes,
    ...contents,
    ...named,
    ...createRunRemains(reader),
    ...writer,
    ...createRestoreEverything({ ...writerParts, forgetHome: home.forget }),
    ...workspaces,
    ...createOpenedFolder({ root, queue, reader, changedPaths: contents.changedPaths }),
    ...createPush({ jj, root, queue, reader, lfs, settle: current, notesToPush: pushNotes.notesToPush }),
    ...createGitBridge({ root, queue, reader: { ...reader, ...named }, writer }),
    landingSeries: createLandingSeries({ ...writerParts, notes, identity: person.identify }),
    lfsFiles: (commit) => lfs.files(commit),
    lfsContent: (commit, paths) => lfs.contentAmong(commit, paths),
    identity: () => person.identify(),
    operations: async (options) => readOperations(jj, root, await current(), options),
    dryRun: async (write) => dryRun({ jj, root, reader }, await current(), write),
    trialMerge: createTrialMerge({ jj, root, commits, memory, current }),
    ...watcher,
    async close() {
      stop();
      await queue.idle();
    },
  };
}
