import { watchGitRefs } from "./git-refs-watcher.ts";
import type { Store } from "./op-heads.ts";
import { watchOperations } from "./op-watcher.ts";
import type { Watcher } from "./ports/watcher.ts";
import type { Jj } from "./process.ts";
import type { WriteQueue } from "./queue.ts";

/** Makes what tells of the happenings in one repository. @returns it, and what ends all watching */
export function createWatcher({
  jj,
  root,
  store,
  queue,
  current,
}: {
  readonly jj: Jj;
  readonly root: string;
  readonly store: Store;
  readonly queue: WriteQueue;
  readonly current: () => Promise<string>;
}): { readonly watcher: Watcher; readonly stop: () => void } {
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
