import type { DatabaseSync, StatementSync } from "node:sqlite";

/** What the parts of the journal share: one connection, one clock, and nestable transactions. */
export interface JournalDatabase {
  /** A statement, prepared once for each text. */
  sql(text: string): StatementSync;
  now(): number;
  /** All of what `write` does is kept, or none of it. */
  together(write: () => void): void;
}

export const createJournalDatabase = (database: DatabaseSync, now: () => number): JournalDatabase => ({
  sql: preparedOnce(database),
  now,
  together(write) {
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
