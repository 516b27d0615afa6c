import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { singleFlight } from "#shared/async/single-flight.ts";
import type { Operation } from "#shared/graph/change.ts";
import type { Watcher } from "../ports/repository-interface.ts";
import { JjError } from "../process/errors.ts";
import { readGitCheckout, refsFingerprint } from "../process/git-checkout.ts";
import { readHeads, type Store } from "../process/op-heads.ts";
import type { Jj } from "../process/process.ts";
import { pinned } from "../read/read-access.ts";
import { newMark, readMarks, writeMarks } from "./marks.ts";
import type { RepositoryParts } from "./writer-parts.ts";

interface RawOperation {
  readonly id: string;
  readonly parents: readonly string[];
  readonly time: { readonly start: string; readonly end: string };
  readonly description: string;
  readonly is_snapshot: boolean;
  readonly workspace_name: string | null;
  readonly attributes: Readonly<Record<string, string>>;
}

type Cause = ReturnType<typeof readMarks>;

function operationOf(raw: RawOperation, cause: Cause): Operation {
  return {
    id: raw.id,
    parents: raw.parents,
    time: Date.parse(raw.time.end),
    description: raw.description,
    snapshot: raw.is_snapshot,
    workspace: raw.workspace_name ? raw.workspace_name : null,
    ...cause,
  };
}

/** jj's automatic merge of concurrent operations, which users need not see. */
const isReconcile = (raw: RawOperation): boolean => raw.description === "reconcile divergent operations";

/**
 * Reads the operation log, newest first, without the reconciling operations. (HOX-1.3)
 * @param head the operation to begin at
 * @param limit how many at most (default 50)
 * @param since stops before this operation; when it is not within `limit`, the newest `limit` are answered
 */
export async function readOperations(
  jj: Jj,
  root: string,
  head: string,
  { limit = 50, since }: { limit?: number; since?: string } = {},
): Promise<readonly Operation[]> {
  const operations: Operation[] = [];
  // `jj workspace add` makes two operations, and writes its command line down in the newer one alone.
  const causedBy = new Map<string, Cause>();
  await jj.lines(
    {
      args: [...pinned(root, head), "op", "log", "--no-graph", "-T", 'json(self) ++ "\\n"'],
      cwd: root,
    },
    (line) => {
      const raw = JSON.parse(line) as RawOperation;
      if (raw.id === since) return false;
      const { args = "" } = raw.attributes;
      const cause = (args === "" ? causedBy.get(raw.id) : undefined) ?? readMarks(args);
      for (const parent of raw.parents) causedBy.set(parent, cause);
      if (!isReconcile(raw)) operations.push(operationOf(raw, cause));
      return operations.length < limit;
    },
  );
  return operations;
}

/** Of 5 ms: after that, use the current operation. */
const maxPauses = 40;
const maxAttempts = 20;

/** Makes what answers for one repository. */
export function createCurrentOperation({
  jj,
  root,
  store,
  queue,
  ownWrites,
}: Pick<RepositoryParts, "jj" | "root" | "store" | "queue" | "ownWrites">) {
  /** The one head, after merging several as any jj command would. */
  async function settle(): Promise<string> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
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
      message: `The repository ${root} keeps changing: other commands are running.`,
    });
  }

  return {
    /** The one current operation, to be called from inside the queue. */
    settle,
    /** The same from elsewhere; reconciles several heads through the writing queue first. */
    async current(): Promise<string> {
      for (let attempt = 0; ; attempt++) {
        const [head, ...others] = await readHeads(store);
        if (head === undefined || others.length > 0) return queue.exclusive(settle);
        if (attempt === maxPauses || !(await ownWrites.mayBeHalf(head))) return head;
        await pause(5);
      }
    },
  };
}

/** Creates the watcher of one repository. @returns it, and what ends all watching */
export function createWatcher({ jj, root, store, queue, current }: RepositoryParts): {
  readonly watcher: Watcher;
  readonly stop: () => void;
} {
  const watching = new Set<() => void>();
  const kept = (stop: () => void) => {
    watching.add(stop);
    return () => {
      watching.delete(stop);
      stop();
    };
  };
  return {
    watcher: {
      watch: (onOperation, onError) => kept(watchOperations(store, current, onOperation, onError)),
      watchGit: (onChange, onError) => kept(watchGitRefs(root, onChange, onError)),
      idle: () => queue.idle(),
      processCount: () => [...jj.counts().values()].reduce((sum, count) => sum + count, 0),
      processesByCommand: () =>
        Object.fromEntries([...jj.counts()].toSorted(([, one], [, other]) => other - one)),
    },
    stop() {
      for (const end of watching) end();
      watching.clear();
    },
  };
}

/** A jj command adds its head before it removes the old one; for this long two heads are not yet a fork. */
const settling = 12;
/** When the file system's notices fail (network folders, exhausted watches), this finds the updates. */
const slowPollMs = 2_000;

/**
 * Looks now, once after each burst of changes in some folders, and every two seconds in case those are not noticed.
 * @param burstMs from its first change on
 * @param onError called when a folder cannot be watched; polling continues
 * @returns stops it
 */
function lookOften(
  folders: Iterable<string>,
  burstMs: number,
  look: (isStopped: () => boolean) => Promise<void>,
  onError: (error: Error) => void = () => undefined,
): () => void {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const lookNow = singleFlight(async () => {
    if (!stopped) await look(() => stopped);
  });
  const soon = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void lookNow();
    }, burstMs);
  };
  const watchers = [...folders].flatMap((folder): readonly FSWatcher[] => {
    try {
      const watcher = watch(folder, { persistent: false }, soon);
      watcher.on("error", (error) => {
        watcher.close();
        onError(error);
      });
      return [watcher];
    } catch (error) {
      onError(error as Error);
      return [];
    }
  });
  const poll = setInterval(() => void lookNow(), slowPollMs);
  poll.unref();
  void lookNow();
  return () => {
    stopped = true;
    clearTimeout(timer);
    clearInterval(poll);
    for (const watcher of watchers) watcher.close();
  };
}

/**
 * Reports every new operation of a repository, from any workspace or terminal.
 * @param current returns the single operation and reconciles a real fork through the writing queue
 * @param onOperation called with the newest id, first with the current one; those in between are in the
 *   operation log
 * @param onError called when the watcher fails; slow polling continues
 * @returns stops watching
 */
function watchOperations(
  store: Store,
  current: () => Promise<string>,
  onOperation: (operation: string) => void,
  onError: (error: Error) => void,
): () => void {
  let last: string | undefined;
  let failing = false;
  const look = async (isStopped: () => boolean): Promise<void> => {
    try {
      if ((await readHeads(store)).length > 1) await pause(settling);
      const operation = await current();
      failing = false;
      if (isStopped() || operation === last) return;
      last = operation;
      onOperation(operation);
    } catch (error) {
      // A repository that was deleted is reported once, not with every poll.
      if (!isStopped() && !failing) onError(error instanceof Error ? error : new Error(String(error)));
      failing = true;
    }
  };
  return lookOften([store.heads], 2, look, onError);
}

/** Git writes several files for one commit, and jj for each of many writes in a row. */
const gitBurstMs = 250;

/**
 * Reports when Git moved a branch, a tag, HEAD or a remote-tracking branch. Reports nothing at the start, but
 * jj's own writes as well.
 * @param root the root of a workspace; without Git in it nothing is ever reported
 * @returns stops watching
 */
function watchGitRefs(root: string, onChange: () => void, onError: (error: Error) => void): () => void {
  const checkout = readGitCheckout(root);
  if (checkout === null) return () => undefined;
  let last: string | null = null;
  const { gitFolder, commonFolder } = checkout;
  const folders = new Set([gitFolder, commonFolder, join(commonFolder, "refs", "heads")]);
  return lookOften(folders, gitBurstMs, async (isStopped) => {
    try {
      const found = await refsFingerprint(checkout);
      const isNew = last !== null && found !== last;
      last = found;
      if (isNew && !isStopped()) onChange();
    } catch (error) {
      if (!isStopped()) onError(error instanceof Error ? error : new Error(String(error)));
    }
  });
}
