/** The sessions outside Hox in a repository: from their programs' reports and from their files. */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import {
  joinSessions,
  type OutsideSession,
  type SessionExpiry,
  sessionExpiry,
} from "#shared/domain/sessions/outside-session.ts";
import { readBoundedFileOrNull } from "../disk/repository-files.ts";
import { claudeFolder, claudeSessions, liesIn } from "./claude-sessions.ts";
import { reportedSessions } from "./told-sessions.ts";

export interface WhereToLook {
  /** Root of the repository. */
  readonly root: string;
  /** Of the repository: reports of programs, and its workspaces. */
  readonly stateFolder: string;
  /** ms since 1970. */
  readonly now: number;
  /** Inactivity after which a session is old. */
  readonly maxQuietMs: number;
  /** Old ones too, as far back as this; default: only those that are not. */
  readonly backMs?: number;
  readonly claude?: string;
}

export interface FoundSession {
  readonly session: OutsideSession;
  /** Why its work is no longer shown; null while it is. */
  readonly expiry: SessionExpiry | null;
}

/** What a session is working on counts for this long without a sign of it. (AX-8) */
export const sessionExpiryMs = 24 * 3_600_000;

/** The newest first. */
export async function findSessions(where: WhereToLook): Promise<readonly FoundSession[]> {
  const { root, stateFolder, now, maxQuietMs, backMs = maxQuietMs } = where;
  const folders = [...new Set([root, join(stateFolder, "workspaces")].flatMap(spellings))];
  const since = now - backMs;
  const [reported, read] = await Promise.all([
    reportedSessions(stateFolder),
    claudeSessions(folders, since, where.claude ?? claudeFolder()),
  ]);
  const all = new Map<string, OutsideSession>();
  // Reports were checked to be of this repository when they were stored.
  for (const session of [...reported, ...read.filter(({ folder }) => liesIn(folders, folder))]) {
    if (session.lastActivityAt < since) continue;
    const key = `${session.kind} ${session.id}`;
    const other = all.get(key);
    all.set(key, other === undefined ? session : joinSessions(other, session));
  }
  const branch = gitBranchOf(root);
  return [...all.values()]
    .sort((one, other) => other.lastActivityAt - one.lastActivityAt)
    .map((session) => ({ session, expiry: sessionExpiry(session, now, branch, maxQuietMs) }));
}

/** As it was named, and as the system knows it. */
function spellings(folder: string): readonly string[] {
  try {
    return [folder, realpathSync(folder)];
  } catch {
    return [folder];
  }
}

/** Git's branch of a folder; null if HEAD is detached, as usual with jj, or there is no Git. */
export function gitBranchOf(root: string): string | null {
  const head = readBoundedFileOrNull(join(root, ".git", "HEAD"), 10_000);
  return head === null ? null : (/^ref: refs\/heads\/(.+)$/mu.exec(head)?.[1] ?? null);
}
