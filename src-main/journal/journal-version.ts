import type { DatabaseSync } from "node:sqlite";

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
