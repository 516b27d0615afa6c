import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface RepositoryLock {
  release(): void;
}

export type LockAnswer =
  | { readonly held: true; readonly lock: RepositoryLock }
  | { readonly held: false; readonly by: string };

/**
 * One host at a time works on a repository: two engines would start every agent twice. SQLite's lock is the operating
 * system's, so it ends with its process however that dies, and no stale file needs judging.
 */
export function lockRepository(stateFolder: string): LockAnswer {
  // Conversations and agents' copies of the files are nobody else's on this machine.
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  const note = join(stateFolder, "host.json");
  const database = new DatabaseSync(join(stateFolder, "host.lock"));
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    // Errors of the disk are not another host.
    if (!/locked|busy/iu.test((error as Error).message)) throw error;
    return { held: false, by: holder(note) };
  }
  writeFileSync(note, JSON.stringify({ pid: process.pid, since: new Date().toISOString() }));
  return { held: true, lock: { release: () => database.close() } };
}

function holder(note: string): string {
  try {
    const { pid, since } = JSON.parse(readFileSync(note, "utf8")) as { pid?: unknown; since?: unknown };
    return `process ${String(pid)}, since ${String(since)}`;
  } catch {
    return "another process";
  }
}
