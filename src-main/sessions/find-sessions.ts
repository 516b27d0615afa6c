/** The sessions outside Hox in a repository: from their programs' reports and from their files. */

import { randomUUID } from "node:crypto";
import { realpathSync } from "node:fs";
import { lstat, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  joinSessions,
  type OutsideSession,
  type SessionExpiry,
  sessionExpiry,
  sessionKinds,
} from "#shared/domain/sessions/outside-session.ts";
import { readBoundedFileOrNull } from "../disk/repository-files.ts";
import { claudeFolder, claudeSessions, liesIn } from "./claude-sessions.ts";
import { fieldsOf, foreignFiles, foreignText, parsedOf } from "./foreign-files.ts";

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

/** Sessions that are kept; those that were quiet longest go. */
const most = 100;
const longest = 512 * 1024;

/** @param stateFolder of the repository */
export const reportedSessionsFolder = (stateFolder: string): string => join(stateFolder, "sessions");

const fileOf = ({ kind, id }: Pick<OutsideSession, "kind" | "id">): string =>
  `${kind}-${id.replaceAll(/[^\w.-]/gu, "_")}.json`;

/** Merges a program's report into the session's earlier ones. */
export async function saveReported(stateFolder: string, session: OutsideSession): Promise<void> {
  const folder = reportedSessionsFolder(stateFolder);
  await mkdir(folder, { recursive: true });
  const path = join(folder, fileOf(session));
  const before = await readReported(path);
  const now = before === null ? session : mergeReported(before, session);
  const draft = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(draft, JSON.stringify(now), { flag: "wx", mode: 0o600 });
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  const files = await foreignFiles(folder, ".json", Number.POSITIVE_INFINITY);
  for (const { path: old } of files.slice(most)) await rm(old, { force: true });
}

/** Of the same plan it says again when it changes, not since when it is that one. */
function mergeReported(before: OutsideSession, reported: OutsideSession): OutsideSession {
  const plan =
    reported.plan !== null && before.plan !== null && reported.plan.source === before.plan.source
      ? { ...reported.plan, since: before.plan.since }
      : reported.plan;
  return { ...joinSessions(before, { ...reported, plan }), plan: plan ?? before.plan };
}

/**
 * Programs' reports of their sessions, stored next to their repository's journal: one file for each session,
 * so that a running host finds it at once and a later one too, and so that it does not grow without limit.
 *
 * All reported sessions. A damaged file is left out.
 */
export async function reportedSessions(stateFolder: string): Promise<readonly OutsideSession[]> {
  const files = await foreignFiles(reportedSessionsFolder(stateFolder), ".json", most);
  const sessions = await Promise.all(files.map(({ path }) => readReported(path)));
  return sessions.flatMap((session) => session ?? []);
}

async function readReported(path: string): Promise<OutsideSession | null> {
  const text = await foreignText({ path }, { begin: longest, end: 0 });
  const fields = text && fieldsOf(parsedOf(text.begin));
  const isWhole =
    fields !== null &&
    sessionKinds.some((kind) => kind === fields.kind) &&
    typeof fields.id === "string" &&
    typeof fields.folder === "string" &&
    typeof fields.lastActivityAt === "number";
  return isWhole ? (fields as unknown as OutsideSession) : null;
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

/** Linux stamps files with the time of its last tick, which is up to 10 ms old, more on a loaded machine. */
const coarseClockMs = 20;

/**
 * Files that changed since a time, according to the file system. jj is not used, because it would snapshot
 * the user's folder unasked. Includes writes by others.
 *
 * @param paths relative to the folder
 * @param since ms since 1970
 * @param most limit of the list
 */
export async function changedSince(
  folder: string,
  paths: readonly string[],
  since: number,
  most: number,
): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const path of paths) {
    if (changed.length === most) break;
    const found = await lstat(join(folder, path)).catch(() => null);
    if (found?.isFile() && found.mtimeMs > since - coarseClockMs) changed.push(path);
  }
  return changed;
}
