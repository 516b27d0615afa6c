import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { resourcePath } from "../config/resources-folder.ts";
import { printError } from "../log/log.ts";
import { JournalVersionMismatch, journalVersion, versionOf } from "./journal-database.ts";

export interface OpenedDatabase {
  readonly database: DatabaseSync;
  /** Where a damaged file was set aside, or null. */
  readonly quarantine: string | null;
  /** What was written last may be missing: the write-ahead log was cut off or taken away. */
  readonly hasLostEnd: boolean;
}

/**
 * Opens the database, or begins a new one where the old is damaged; jj holds the work, so that costs statistics and
 * conversations, and the damaged file is kept under another name. FULL, because NORMAL may lose an acknowledged
 * commit when the power goes.
 */
export function openDatabase(path: string, now: number): OpenedDatabase {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    const found = inspectFiles(path);
    if (found.hasLostBeginning) throw new DamagedDatabase("The file is empty or missing.");
    return { ...openSound(path, found), quarantine: null };
  } catch (error) {
    if (!isDamage(error)) throw error;
    const quarantine = `${path}.damaged-${new Date(now).toISOString().replaceAll(/[:.]/gu, "-")}`;
    for (const suffix of ["", "-wal", "-shm"])
      if (existsSync(path + suffix)) renameSync(path + suffix, quarantine + suffix);
    return { ...openSound(path, inspectFiles(path)), quarantine, hasLostEnd: false };
  }
}

/** The state of a journal's files before SQLite opens them. */
interface FoundFiles {
  /** The file is empty or missing while its write-ahead log exists: SQLite would create a new one. */
  readonly hasLostBeginning: boolean;
  /** The write-ahead log is missing or truncated: SQLite would continue without the last commits. */
  readonly hasLostEnd: boolean;
  /** The process that wrote last did not close it. */
  readonly isLeftOpen: boolean;
  /** `application_id` as the file itself says it, without what is ahead of it. */
  readonly mark: number;
}

/**
 * Marks of an open journal, stored as `application_id`: the first is in the file since it was opened, the
 * second was written after it. So a file with either has a non-empty write-ahead log.
 */
const openMarks = { inFile: 0x686f7801, ahead: 0x686f7802 } as const;

// The file format of SQLite: offsets in the first page, and the sizes of what a write-ahead log is made of.
const pageSizeAt = 16;
const applicationIdAt = 68;
const headerBytes = 100;
const logHeaderBytes = 32;
const frameHeaderBytes = 24;

/** Reads without changing anything, so that files that are damaged can still be set aside as they were found. */
function inspectFiles(path: string): FoundFiles {
  const size = sizeOf(path);
  const log = sizeOf(`${path}-wal`);
  if (size === null || size < headerBytes)
    return {
      hasLostBeginning: size !== null || (log ?? 0) > 0,
      hasLostEnd: false,
      isLeftOpen: false,
      mark: 0,
    };
  const header = Buffer.alloc(headerBytes);
  const file = openSync(path, "r");
  try {
    readSync(file, header, 0, headerBytes, 0);
  } finally {
    closeSync(file);
  }
  const mark = header.readUInt32BE(applicationIdAt);
  const storedSize = header.readUInt16BE(pageSizeAt);
  const frame = frameHeaderBytes + (storedSize === 1 ? 0x10000 : storedSize);
  const isMarkedOpen = mark === openMarks.inFile || mark === openMarks.ahead;
  const isTorn = (log ?? 0) > 0 && ((log ?? 0) - logHeaderBytes) % frame !== 0;
  return {
    hasLostBeginning: false,
    hasLostEnd: (isMarkedOpen && (log ?? 0) < logHeaderBytes + frame) || isTorn,
    isLeftOpen: (log ?? 0) > 0,
    mark,
  };
}

function sizeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.size ?? null;
}

function openSound(path: string, found: FoundFiles): Omit<OpenedDatabase, "quarantine"> {
  const database = new DatabaseSync(path);
  try {
    database.exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON;",
    );
    // A log that was cut off behind a checkpoint puts older pages over newer ones: then indexes are compared as well.
    const check = found.isLeftOpen ? "integrity_check" : "quick_check";
    const verdict = database.prepare(`PRAGMA ${check}(1)`).get();
    if (verdict?.[check] !== "ok") throw new DamagedDatabase(String(verdict?.[check]));
    createTables(database, path);
    // If it was closed while someone still read it, the closing mark is in the log.
    const lostMark = found.mark === openMarks.inFile && applicationId(database) === openMarks.inFile;
    markOpen(database);
    return { database, hasLostEnd: found.hasLostEnd || lostMark };
  } catch (error) {
    database.close();
    throw error;
  }
}

const applicationId = (database: DatabaseSync): number =>
  Number(database.prepare("PRAGMA application_id").get()?.application_id ?? 0);

/** From here to its closing the file says that something is ahead of it. */
function markOpen(database: DatabaseSync): void {
  database.exec(`PRAGMA application_id = ${openMarks.inFile}; PRAGMA wal_checkpoint(TRUNCATE)`);
  database.exec(`PRAGMA application_id = ${openMarks.ahead}`);
}

/** Closes it in order: everything is in the file then, and the log is empty. */
export function closeDatabase(database: DatabaseSync): void {
  if (!database.isOpen) return;
  try {
    database.exec("PRAGMA application_id = 0");
  } catch {
    markClosedOnFullDisk(database);
  } finally {
    database.close();
  }
}

/**
 * A full disk has room again once the log is in the file. If even that fails nothing is lost, and the disk
 * error was reported: the next start says that the end may be missing.
 */
function markClosedOnFullDisk(database: DatabaseSync): void {
  try {
    database.exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA application_id = 0");
  } catch (error) {
    printError("the journal could not be marked as closed", error);
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

function createTables(database: DatabaseSync, path: string): void {
  const version = versionOf(database);
  if (version === journalVersion) return;
  if (version !== 0) throw new JournalVersionMismatch(path, version);
  const schema = readFileSync(resourcePath("schema.sql"), "utf8");
  database.exec(`BEGIN IMMEDIATE; ${schema} PRAGMA user_version = ${journalVersion}; COMMIT;`);
}
