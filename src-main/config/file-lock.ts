import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";

/**
 * A lock between processes. SQLite's is the operating system's, so it ends with its process however that dies, and no
 * stale file needs judging.
 *
 * @param path of a file that holds nothing else
 * @returns releases it; null while another owner has it
 */
export function tryLock(path: string): (() => void) | null {
  // Conversations and agents' files are private to this user.
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(path);
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    // Errors of the disk are not another owner.
    if (!/locked|busy/iu.test((error as Error).message)) throw error;
    return null;
  }
  return () => database.close();
}

const lockPatienceMs = 10_000;

/**
 * The same, waited for while another owner has it for a moment, as for one change of a file.
 *
 * @returns null: the owner has not released it in ten seconds
 */
export async function waitForLock(path: string): Promise<(() => void) | null> {
  for (const until = performance.now() + lockPatienceMs; ; await pause(10)) {
    const release = tryLock(path);
    if (release !== null || performance.now() > until) return release;
  }
}
