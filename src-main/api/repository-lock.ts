import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { tryLock } from "../config/file-lock.ts";
import { type HandoverAddress, openHandoverEndpoint, requestHandover } from "./hand-over.ts";
import { Refusal } from "./refusal.ts";

interface RepositoryLock {
  /** The endpoint for takeover requests. */
  announce(endpoint: HandoverAddress): void;
  release(): void;
}

export type LockAnswer =
  | { readonly isAcquired: true; readonly lock: RepositoryLock }
  | { readonly isAcquired: false; readonly by: string };

/** Who holds a repository, as it has written down. */
export interface LockOwner {
  readonly pid: number;
  readonly since: string;
  /** Absent for a moment at its start, and for a Hox that knows of no taking over. */
  readonly endpoint?: HandoverAddress;
}

/** One host at a time works on a repository: two engines would start every agent twice. */
export function lockRepository(stateFolder: string): LockAnswer {
  const release = tryLock(join(stateFolder, "host.lock"));
  if (release === null) return { isAcquired: false, by: nameOf(lockOwnerOf(stateFolder)) };
  const owner: LockOwner = { pid: process.pid, since: new Date().toISOString() };
  try {
    write(stateFolder, owner);
  } catch (error) {
    // Without its record it must not own the lock: no other host could get it before this process ends.
    release();
    throw error;
  }
  return {
    isAcquired: true,
    lock: {
      announce: ({ port, secret }) => write(stateFolder, { ...owner, endpoint: { port, secret } }),
      release,
    },
  };
}

const noteOf = (stateFolder: string): string => join(stateFolder, "host.json");

function write(stateFolder: string, owner: LockOwner): void {
  const note = noteOf(stateFolder);
  writeFileSync(note, JSON.stringify(owner), { mode: 0o600 });
  // The mode above counts for a new file only.
  chmodSync(note, 0o600);
}

/** Who wrote itself down as the owner last; null when that cannot be read. */
export function lockOwnerOf(stateFolder: string): LockOwner | null {
  try {
    const { pid, since, endpoint } = JSON.parse(
      readFileSync(noteOf(stateFolder), "utf8"),
    ) as Partial<LockOwner>;
    if (typeof pid !== "number" || typeof since !== "string") return null;
    return typeof endpoint?.port === "number" && typeof endpoint.secret === "string"
      ? { pid, since, endpoint: { port: endpoint.port, secret: endpoint.secret } }
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

/** The owner, as soon as it can be asked; without an endpoint where it has none after all, or has released the lock. */
async function ownerToAsk(stateFolder: string): Promise<LockOwner | null> {
  for (const until = performance.now() + endpointPatienceMs; ; await pause(100)) {
    const owner = lockOwnerOf(stateFolder);
    if (owner?.endpoint || performance.now() > until || !isLocked(stateFolder)) return owner;
  }
}

/** For people: `process 4711, since 2026-…`. */
const nameOf = (owner: LockOwner | null): string =>
  owner === null ? "another process" : `process ${owner.pid}, since ${owner.since}`;

/** Whether a host holds the repository at this moment. */
export function isLocked(stateFolder: string): boolean {
  const answer = lockRepository(stateFolder);
  if (answer.isAcquired) answer.lock.release();
  return !answer.isAcquired;
}

/**
 * Takes a repository for this host, which another one may then ask to release it, or asks the one that has
 * it.
 */
export type Acquired =
  | { readonly isOwned: true; release(): void }
  /** @param by the other host */
  | { readonly isOwned: false; readonly by: string };

/**
 * Takes a repository if no other host has it.
 * @param release closes everything and resolves when the repository is free; called with the asking host
 */
export async function acquireRepository(
  stateFolder: string,
  release: (by: string) => Promise<void>,
): Promise<Acquired> {
  const answer = lockRepository(stateFolder);
  if (!answer.isAcquired) return { isOwned: false, by: answer.by };
  const { lock } = answer;
  try {
    const endpoint = await openHandoverEndpoint(release);
    lock.announce(endpoint);
    return {
      isOwned: true,
      release() {
        endpoint.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Asks the host that has a repository to release it. One that has ended does not matter; a silent live one
 * blocks, because two hosts would start every agent twice.
 *
 * @returns "ended" if no host has it any more, "free" if it was released
 * @throws StillLocked
 */
export async function askForRepository(stateFolder: string): Promise<"ended" | "free"> {
  if (!isLocked(stateFolder)) return "ended";
  const owner = await ownerToAsk(stateFolder);
  const isFree = owner?.endpoint ? await requestHandover(owner.endpoint, `process ${process.pid}`) : false;
  if (!isFree && isLocked(stateFolder)) throw new StillLocked(nameOf(owner));
  return "free";
}

/** Taking over would make two hosts of one. */
export class StillLocked extends Refusal {
  constructor(by: string) {
    super(
      `The Hox process that has this repository open (${by}) did not release it.`,
      "Close it, or end the process if it hangs. Then take over again: the run resumes from its saved state.",
    );
  }
}
