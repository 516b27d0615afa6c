import { existsSync, mkdirSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { schemaVersions } from "./schema.ts";

/** The journal was written by a newer Hox. */
export class JournalTooNew extends Error {
  override readonly name = "JournalTooNew";
  readonly remedy: string;
  constructor(path: string, version: number) {
    super(`The journal ${path} has version ${version}, this Hox understands ${schemaVersions.length}.`);
    this.remedy =
      "Start the newer Hox again, or move the file away: jj keeps all work, conversations go with it.";
  }
}

export interface OpenedDatabase {
  readonly database: DatabaseSync;
  /** Where a damaged file was set aside, or null. */
  readonly setAside: string | null;
}

/**
 * Opens the database, or begins a new one where the old is damaged; jj holds the work, so that costs statistics and
 * conversations, and the damaged file is kept under another name. FULL, because NORMAL may lose an acknowledged
 * commit when the power goes.
 */
export function openDatabase(path: string, now: number): OpenedDatabase {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    return { database: openSound(path), setAside: null };
  } catch (error) {
    if (!isDamage(error)) throw error;
    const setAside = `${path}.damaged-${new Date(now).toISOString().replaceAll(/[:.]/gu, "-")}`;
    for (const suffix of ["", "-wal", "-shm"])
      if (existsSync(path + suffix)) renameSync(path + suffix, setAside + suffix);
    return { database: openSound(path), setAside };
  }
}

function openSound(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  try {
    database.exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON;",
    );
    const verdict = database.prepare("PRAGMA quick_check(1)").get();
    if (verdict?.quick_check !== "ok") throw new DamagedDatabase(String(verdict?.quick_check));
    migrate(database, path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

class DamagedDatabase extends Error {
  override readonly name = "DamagedDatabase";
}

/** SQLITE_CORRUPT and SQLITE_NOTADB; anything else (disk full, no permission) must not cost the file its name. */
const isDamage = (error: unknown): boolean =>
  error instanceof DamagedDatabase ||
  (error instanceof Error &&
    "errcode" in error &&
    typeof error.errcode === "number" &&
    [11, 26].includes(error.errcode & 0xff));

function migrate(database: DatabaseSync, path: string): void {
  const version = Number(database.prepare("PRAGMA user_version").get()?.user_version ?? 0);
  if (version > schemaVersions.length) throw new JournalTooNew(path, version);
  for (let step = version; step < schemaVersions.length; step++)
    database.exec(`BEGIN IMMEDIATE; ${schemaVersions[step]}; PRAGMA user_version = ${step + 1}; COMMIT;`);
}
