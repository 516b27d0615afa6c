import { type FSWatcher, statSync, watch } from "node:fs";
import { dirname } from "node:path";

/** An editor writes a file in several steps. */
const settling = 100;
/** When the file system's notices fail (network folders, exhausted watches), this finds the news. */
const slowPoll = 2_000;

export interface FileWatch {
  close(): void;
}

/**
 * Says when a file has changed, appeared or gone. Its folder need not be there yet.
 *
 * @param base a folder that is there, in which the file's own folder would appear
 */
export function watchFile(path: string, base: string, changed: () => void): FileWatch {
  let seen = stateOf(path);
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    timer = undefined;
    watcher.follow();
    const now = stateOf(path);
    if (now === seen) return;
    seen = now;
    changed();
  };
  const watcher = createFolderWatcher(dirname(path), base, () => {
    timer ??= setTimeout(look, settling);
  });
  watcher.follow();
  const net = setInterval(look, slowPoll);
  net.unref();
  return {
    close() {
      watcher.close();
      clearTimeout(timer);
      clearInterval(net);
    },
  };
}

/** Watches a folder, or the one in which it would appear; `follow` looks which of them it is now. */
function createFolderWatcher(folder: string, base: string, noticed: () => void) {
  let watcher: FSWatcher | null = null;
  let watched = "";
  return {
    follow(): void {
      const there = stateOf(folder, true);
      const target = there === "" ? base : folder;
      if (watcher && watched === target + there) return;
      watcher?.close();
      watched = target + there;
      try {
        watcher = watch(target, { persistent: false }, noticed);
        // The slow look goes on.
        watcher.on("error", () => watcher?.close());
      } catch {
        watcher = null;
      }
    },
    close(): void {
      watcher?.close();
    },
  };
}

/** Differs when a file does; of a folder only which one it is. Empty when there is none. */
function stateOf(path: string, identity = false): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  if (!found) return "";
  return identity ? `${found.ino}` : `${found.ino} ${found.mtimeNs} ${found.size} ${found.mode}`;
}
