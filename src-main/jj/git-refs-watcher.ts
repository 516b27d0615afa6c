import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { singleFlight } from "#shared/async/single-flight.ts";
import { readGitCheckout, refsFingerprint } from "./git-checkout.ts";

/** Git writes several files for one commit, and jj for each of many writes in a row. */
const settlingMs = 250;
/** Finds the news where the file system tells of none, and in folders below those that are watched. */
const slowPollMs = 2_000;

/**
 * Tells when a branch, a tag, HEAD or what is known of a remote was moved by Git. It tells of nothing at the beginning,
 * and of what jj writes there as well.
 * @param root the root of a workspace; where no Git works in it, nothing is ever told
 * @returns stops watching
 */
export function watchGitRefs(
  root: string,
  onChange: () => void,
  onError: (error: Error) => void,
): () => void {
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
      // The slow poll goes on without it.
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
