import type { DatabaseSync, StatementSync } from "node:sqlite";

/** What the parts of the journal share: one connection, one clock, and nestable transactions. */
export type JournalDatabase = ReturnType<typeof createJournalDatabase>;

export const createJournalDatabase = (database: DatabaseSync, now: () => number) => ({
  /** A statement, prepared once for each text. */
  sql: preparedOnce(database),
  now,
  /** All of what `write` does is kept, or none of it. */
  together(write: () => void): void {
    if (database.isTransaction) {
      write();
      return;
    }
    database.exec("BEGIN IMMEDIATE");
    try {
      write();
      database.exec("COMMIT");
    } catch (error) {
      // A full or failing disk makes SQLite roll back itself; a second rollback would hide the cause.
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  },
});

function preparedOnce(database: DatabaseSync): (text: string) => StatementSync {
  const prepared = new Map<string, StatementSync>();
  return (text) => {
    const known = prepared.get(text) ?? database.prepare(text);
    prepared.set(text, known);
    return known;
  };
}

/** The JSON of a column, as what was written there; undefined where there is no row or nothing in it. */
export const readJson = <T>(row: Record<string, unknown> | undefined, column: string): T | undefined =>
  row === undefined || row[column] === null ? undefined : (JSON.parse(String(row[column])) as T);

/** Of `resources/schema.sql`. A change of that file is another version. */
export const journalVersion = 2;

/** The version that a database says it has; 0: it is new and empty. */
export const versionOf = (database: DatabaseSync): number =>
  Number(database.prepare("PRAGMA user_version").get()?.user_version ?? 0);

/** Another version of Hox wrote the journal. */
export class JournalVersionMismatch extends Error {
  override readonly name = "JournalVersionMismatch";
  readonly remedy =
    "Use that version of Hox, or move the file away. All work is safe in jj, but conversations and statistics are lost.";
  constructor(path: string, version: number) {
    super(
      `The journal ${path} was written by another version of Hox: it has format ${version}, this version reads format ${journalVersion}.`,
    );
  }
}
