import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { RemediedError } from "#shared/domain/text/remedied-error.ts";

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
 * Waits for the lock of one change of a file: another process has it for a moment.
 *
 * @param what is changed, for the user
 * @param path of the file
 * @throws RemediedError where the other one has not released it in ten seconds
 */
export async function lockFile(what: string, path: string): Promise<() => void> {
  for (const until = performance.now() + lockPatienceMs; ; await pause(10)) {
    const release = tryLock(`${path}.lock`);
    if (release !== null) return release;
    if (performance.now() > until)
      throw new RemediedError(
        `Can't change ${what}: another Hox process is changing ${path}.`,
        "Try again. If it fails again, a Hox process no longer responds: end that process.",
      );
  }
}
