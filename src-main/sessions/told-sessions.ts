/**
 * Programs' reports of their sessions, stored next to their repository's journal: one file for each session,
 * so that a running host finds it at once and a later one too, and so that it does not grow without limit.
 */

import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { joinSessions, type OutsideSession, sessionKinds } from "#shared/domain/sessions/outside-session.ts";
import { foreignFiles, foreignText } from "./foreign-files.ts";
import { fieldsOf, parsedOf } from "./lenient.ts";

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

/** All reported sessions. A damaged file is left out. */
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
