/** A request that the engine refuses, with the remedy. */
export class EngineRefusal extends Error {
  override readonly name = "EngineRefusal";
  readonly remedy: string;
  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}

/** An answer to something that is not on the table any more, or not in the form in which it was shown. */
export class StaleAnswer extends Error {
  override readonly name = "StaleAnswer";
  readonly remedy: string;
  constructor(message: string, remedy = "Check the inbox again and answer what it shows now.") {
    super(message);
    this.remedy = remedy;
  }
}

/**
 * Unwinds an action to where it can begin again. Nothing is wrong: the run was paused, stopped or closed, or its
 * budget is spent, and all that was reached is in the journal.
 */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  constructor() {
    super("The run was interrupted. It resumes from the journal.");
  }
}

/** An error for the user: its message, and its remedy if it has one. */
export function explain(error: unknown): { readonly message: string; readonly remedy: string } {
  const message =
    typeof error === "object" && error !== null && "message" in error && typeof error.message === "string"
      ? error.message
      : String(error);
  const remedy =
    typeof error === "object" && error !== null && "remedy" in error && typeof error.remedy === "string"
      ? error.remedy
      : isFullDisk(error)
        ? "Free disk space, then retry or restart Hox. Everything saved before is kept."
        : isFailingDisk(error)
          ? "Writing to the disk failed. Check the system log and the free space, then restart Hox. Everything saved before is kept."
          : "Retry. If it fails again, stop the run: the work of each agent is saved in its change.";
  return { message, remedy };
}

const isOneOf = (error: unknown, codes: readonly string[], ofSqlite: readonly number[]): boolean =>
  error instanceof Error &&
  (("code" in error && codes.includes(String(error.code))) ||
    ("errcode" in error && typeof error.errcode === "number" && ofSqlite.includes(error.errcode & 0xff)));

/** The system's own words for it, and SQLite's: SQLITE_FULL. */
const isFullDisk = (error: unknown): boolean => isOneOf(error, ["ENOSPC", "EDQUOT"], [13]);

/** SQLITE_READONLY, SQLITE_IOERR, SQLITE_CANTOPEN: also what the system did on its own after a failure. */
const isFailingDisk = (error: unknown): boolean => isOneOf(error, ["EIO", "EROFS"], [8, 10, 14]);
