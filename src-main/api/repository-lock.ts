import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import type { HandoverAddress } from "./hand-over.ts";

interface RepositoryLock {
  /** The endpoint for takeover requests. */
  announce(endpoint: HandoverAddress): void;
  release(): void;
}

export type LockAnswer =
  | { readonly held: true; readonly lock: RepositoryLock }
  | { readonly held: false; readonly by: string };

/** Who holds a repository, as it has written down. */
export interface Holder {
  readonly pid: number;
  readonly since: string;
  /** Absent for a moment at its start, and for a Hox that knows of no taking over. */
  readonly door?: HandoverAddress;
}

/**
 * One host at a time works on a repository: two engines would start every agent twice. SQLite's lock is the operating
 * system's, so it ends with its process however that dies, and no stale file needs judging.
 */
export function lockRepository(stateFolder: string): LockAnswer {
  // Conversations and agents' files are private to this user.
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(join(stateFolder, "host.lock"));
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    // Errors of the disk are not another host.
    if (!/locked|busy/iu.test((error as Error).message)) throw error;
    return { held: false, by: nameOf(holderOf(stateFolder)) };
  }
  const holder: Holder = { pid: process.pid, since: new Date().toISOString() };
  try {
    write(stateFolder, holder);
  } catch (error) {
    // Without its record it must not own the lock: no other host could get it before this process ends.
    database.close();
    throw error;
  }
  return {
    held: true,
    lock: {
      announce: ({ port, secret }) => write(stateFolder, { ...holder, door: { port, secret } }),
      release: () => database.close(),
    },
  };
}

const noteOf = (stateFolder: string): string => join(stateFolder, "host.json");

function write(stateFolder: string, holder: Holder): void {
  const note = noteOf(stateFolder);
  writeFileSync(note, JSON.stringify(holder), { mode: 0o600 });
  // The mode above counts for a new file only.
  chmodSync(note, 0o600);
}

/** Who wrote itself down as the holder last; null when that cannot be read. */
export function holderOf(stateFolder: string): Holder | null {
  try {
    const { pid, since, door } = JSON.parse(readFileSync(noteOf(stateFolder), "utf8")) as Partial<Holder>;
    if (typeof pid !== "number" || typeof since !== "string") return null;
    return typeof door?.port === "number" && typeof door.secret === "string"
      ? { pid, since, door: { port: door.port, secret: door.secret } }
      : { pid, since };
  } catch {
    return null;
  }
}

/**
 * How long a host may take from locking a repository until its endpoint is open: it opens the repository
 * meanwhile.
 */
const endpointPatienceMs = 10_000;

/** The holder, as soon as it can be asked; without a door where it has none after all, or does not hold any more. */
export async function holderToAsk(stateFolder: string): Promise<Holder | null> {
  for (const until = performance.now() + endpointPatienceMs; ; await pause(100)) {
    const holder = holderOf(stateFolder);
    if (holder?.door || performance.now() > until || !isLocked(stateFolder)) return holder;
  }
}

/** For people: `process 4711, since 2026-…`. */
export const nameOf = (holder: Holder | null): string =>
  holder === null ? "another process" : `process ${holder.pid}, since ${holder.since}`;

/** Whether a host holds the repository at this moment. */
export function isLocked(stateFolder: string): boolean {
  const answer = lockRepository(stateFolder);
  if (answer.held) answer.lock.release();
  return !answer.held;
}
