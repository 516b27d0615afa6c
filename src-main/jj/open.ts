import { realpath } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { dryRun } from "./dry-run.ts";
import { JjError } from "./errors.ts";
import { createGitBridge } from "./git-bridge.ts";
import { watchGitRefs } from "./git-refs-watcher.ts";
import { createHome } from "./home-workspace.ts";
import { inspectFolder } from "./inspect-folder.ts";
import { createLandingSeries } from "./landing-series.ts";
import { createLfs } from "./lfs.ts";
import { newMark, writeMarks } from "./marks.ts";
import { locateStore, readHeads } from "./op-heads.ts";
import { watchOperations } from "./op-watcher.ts";
import { readOperations } from "./operations.ts";
import { createOwnWrites } from "./own-writes.ts";
import { createPerson } from "./person.ts";
import { createJj, requireVersion } from "./process.ts";
import { createPush } from "./push.ts";
import { createQueue } from "./queue.ts";
import { createReader } from "./reader.ts";
import type { Repository } from "./repository-interface.ts";
import { trialMerge } from "./trial-merge.ts";
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
  const queue = createQueue(jj, store, ownWrites, async (asked) => (asked === root ? home() : asked));

  /** Inside the queue: the one head, after merging several as any jj command would. */
  async function settle(): Promise<string> {
    for (let attempt = 0; attempt < 20; attempt++) {
      const heads = await readHeads(store);
      if (heads.length === 1 && heads[0]) return heads[0];
      // A command that is just ending shows two heads for a moment.
      if (attempt < 2) await pause(5);
      else
        try {
          await jj.run({
            head: writeMarks(newMark()),
            args: ["-R", root, "--ignore-working-copy", "--quiet", "log", "-r", "none()"],
            cwd: root,
          });
        } catch (error) {
          // Somebody else's command merges the same heads at the same moment.
          if (!(error instanceof JjError) || error.kind !== "concurrent") throw error;
          await pause(100);
        }
    }
    throw new JjError({
      kind: "concurrent",
      message: `The operations of ${root} do not settle: other commands keep running.`,
    });
  }

  async function currentOperation(): Promise<string> {
    const heads = await readHeads(store);
    return heads.length === 1 && heads[0] ? heads[0] : queue.exclusive(settle);
  }

  const reader = createReader(jj, root, currentOperation);
  const writer = createWriter({ jj, root, store, queue, ownWrites, reader, settle });
  const lfs = createLfs(root);
  const workspaces = createWorkspaces({
    lfs,
    jj,
    root,
    store,
    queue,
    ownWrites,
    current: currentOperation,
    settle,
  });
  const watchers = new Set<() => void>();

  return {
    root,
    name: basename(root),
    currentOperation,
    mayBeDescribedSince: ownWrites.mayBeDescribedSince,
    onlyOwnBetween: ownWrites.onlyOwnBetween,
    ...reader,
    ...writer,
    ...workspaces,
    ...createPush({ jj, root, queue, reader, lfs, settle: currentOperation }),
    ...createGitBridge({
      jj,
      root,
      queue,
      reader,
      setBookmark: writer.setBookmark,
      deleteBookmark: writer.deleteBookmark,
    }),
    landingSeries: createLandingSeries({ jj, root, queue, reader, settle }),
    lfsFiles: (commit) => lfs.files(commit),
    lfsContent: (commit, paths) => lfs.contentAmong(commit, paths),
    identity: () => person.identify(),
    operations: async (options) => readOperations(jj, root, await currentOperation(), options),
    dryRun: async (write) => dryRun(jj, root, await currentOperation(), write),
    trialMerge: async (changes) => trialMerge(jj, root, await currentOperation(), changes),
    watch(onOperation, onError) {
      const stop = watchOperations(store, currentOperation, onOperation, onError);
      watchers.add(stop);
      return () => {
        watchers.delete(stop);
        stop();
      };
    },
    watchGit(onChange, onError) {
      const stop = watchGitRefs(root, onChange, onError);
      watchers.add(stop);
      return () => {
        watchers.delete(stop);
        stop();
      };
    },
    idle: () => queue.idle(),
    processCount: () => [...jj.counts().values()].reduce((sum, count) => sum + count, 0),
    processesByCommand: () =>
      Object.fromEntries([...jj.counts()].toSorted(([, one], [, other]) => other - one)),
    async close() {
      for (const stop of watchers) stop();
      watchers.clear();
      await queue.idle();
    },
  };
}
