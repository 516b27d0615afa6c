import { statSync } from "node:fs";

/** How often files are looked at: cheap, and unlike notices of the file system it works in network folders too. */
const pollMs = 250;

/**
 * Says when a file has changed, appeared or gone, once it stays the same: an editor may write it in several steps.
 *
 * @returns ends it
 */
export function watchFile(path: string, changed: () => void): () => void {
  let seen = stateOf(path);
  let last = seen;
  const poll = setInterval(() => {
    const now = stateOf(path);
    if (now === last && now !== seen) {
      seen = now;
      changed();
    }
    last = now;
  }, pollMs);
  poll.unref();
  return () => clearInterval(poll);
}

/** Differs when a file does. Empty when there is none. */
function stateOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.ino} ${found.mtimeNs} ${found.size} ${found.mode}` : "";
}
