import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** People, their sign-ins and what they did. A host that one user has to themselves never has this file. */
const peopleFile = (stateFolder: string): string => join(stateFolder, "people.sqlite");

const formatVersion = 1;

const schema = `
CREATE TABLE people (
  name TEXT PRIMARY KEY COLLATE NOCASE,
  role TEXT,                     -- null: only in the repositories below
  repositories TEXT NOT NULL,    -- JSON: roles by root
  settings TEXT NOT NULL         -- JSON: how their windows are set up
) STRICT;
-- Secrets are kept as their SHA-256 only.
CREATE TABLE invitations (
  digest TEXT PRIMARY KEY,
  name TEXT NOT NULL COLLATE NOCASE REFERENCES people (name) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE TABLE identities (
  digest TEXT PRIMARY KEY,
  name TEXT NOT NULL COLLATE NOCASE REFERENCES people (name) ON DELETE CASCADE,
  at INTEGER NOT NULL
) STRICT;
CREATE TABLE log (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  name TEXT NOT NULL,
  did TEXT NOT NULL,
  repository TEXT,
  run TEXT,
  outcome TEXT NOT NULL
) STRICT;
`;

/** Another version of Hox wrote it. */
class PeopleVersionMismatch extends Error {
  override readonly name = "PeopleVersionMismatch";
  readonly remedy = "Use that version of Hox, or move the file away and invite all people again.";
}

/** Entries of the log that are kept. */
const maxLogEntries = 50_000;

/** Opens it, or (null) says that there is none where it is not to be created. Once, and again after it was created by another process. */
export function createPeopleDatabase(stateFolder: string) {
  const path = peopleFile(stateFolder);
  let opened: DatabaseSync | null = null;
  return {
    open(create: boolean): DatabaseSync | null {
      if (opened) return opened;
      if (!create && !existsSync(path)) return null;
      opened = openFile(path);
      return opened;
    },
    close(): void {
      opened?.close();
      opened = null;
    },
  };
}

/** Removes the entries before those that are kept. */
export function trimLog(database: DatabaseSync): void {
  database.exec(`DELETE FROM log WHERE seq <= (SELECT max(seq) FROM log) - ${maxLogEntries}`);
}

function openFile(path: string): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(path);
  try {
    // The write-ahead log gets the permissions of the file.
    if (process.platform !== "win32") chmodSync(path, 0o600);
    database.exec(
      "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;",
    );
    database.exec("BEGIN IMMEDIATE");
    const version = Number(database.prepare("PRAGMA user_version").get()?.user_version ?? 0);
    if (version === 0) database.exec(`${schema} PRAGMA user_version = ${formatVersion};`);
    else if (version !== formatVersion)
      throw new PeopleVersionMismatch(
        `${path} was written by another version of Hox: it has format ${version}, this version reads format ${formatVersion}.`,
      );
    trimLog(database);
    database.exec("COMMIT");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
