import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

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
