import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { singleFlight } from "#shared/async/single-flight.ts";
import { readGitCheckout, refsFingerprint } from "./git-checkout.ts";
import { readHeads, type Store } from "./op-heads.ts";
import type { Watcher } from "./repository-interface.ts";
import type { RepositoryParts } from "./writer-parts.ts";

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
/** When the file system's notices fail (network folders, exhausted watches), this finds the news. */
const slowPoll = 2_000;

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
  let stopped = false;
  let failing = false;
  let timer: NodeJS.Timeout | undefined;

  const look = singleFlight(async () => {
    if (stopped) return;
    try {
      const heads = await readHeads(store);
      if (heads.length > 1) await new Promise((resolve) => setTimeout(resolve, settling));
      const operation = await current();
      failing = false;
      if (!stopped && operation !== last) {
        last = operation;
        onOperation(operation);
      }
    } catch (error) {
      // A repository that was deleted is reported once, not with every poll.
      if (!stopped && !failing) onError(error instanceof Error ? error : new Error(String(error)));
      failing = true;
    }
  });

  const soon = (): void => {
    // The first event of a burst is acted on at once; the rest of the burst is one more look.
    if (timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      void look();
    }, 2);
  };

  const watcher = watch(store.heads, { persistent: false }, soon);
  watcher.on("error", (error) => {
    watcher.close();
    onError(error);
  });
  const net = setInterval(() => void look(), slowPoll);
  net.unref();
  void look();

  return () => {
    stopped = true;
    clearTimeout(timer);
    clearInterval(net);
    watcher.close();
  };
}

/** Git writes several files for one commit, and jj for each of many writes in a row. */
const settlingMs = 250;
/** Finds changes when the file system reports none, and in subfolders of watched ones. */
const slowPollMs = 2_000;

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
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const look = singleFlight(async () => {
    if (stopped) return;
    try {
      const found = await refsFingerprint(checkout);
      const isNew = last !== null && found !== last;
      last = found;
      if (isNew && !stopped) onChange();
    } catch (error) {
      if (!stopped) onError(error instanceof Error ? error : new Error(String(error)));
    }
  });
  const soon = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void look();
    }, settlingMs);
  };

  const { gitFolder, commonFolder } = checkout;
  const folders = new Set([gitFolder, commonFolder, join(commonFolder, "refs", "heads")]);
  const watchers = [...folders].flatMap((folder): readonly FSWatcher[] => {
    try {
      const watcher = watch(folder, { persistent: false }, soon);
      // Slow polling continues without it.
      watcher.on("error", () => watcher.close());
      return [watcher];
    } catch {
      return [];
    }
  });
  const net = setInterval(() => void look(), slowPollMs);
  net.unref();
  void look();
  return () => {
    stopped = true;
    clearTimeout(timer);
    clearInterval(net);
    for (const watcher of watchers) watcher.close();
  };
}
