import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import {
  createJournalDatabase,
  JournalVersionMismatch,
  journalVersion,
  versionOf,
} from "./journal-database.ts";
import { createJudgements } from "./judgements.ts";
import { createRecordingRows, createRunRows, readEvents } from "./run-rows.ts";

/** Read-only access to a journal, even while a host writes it. */
export type JournalReader = Pick<ReturnType<typeof createRunRows>, "runs" | "config"> &
  Pick<ReturnType<typeof createJudgements>, "verdicts"> &
  ReturnType<typeof readEvents> &
  ReturnType<typeof createRecordingRows> & { close(): void };

/**
 * Opens a journal for reading, even while a host works with it.
 *
 * @returns null if there is none: this repository never had a run
 * @throws JournalVersionMismatch for one that another version of Hox wrote
 */
export function readJournal(path: string): JournalReader | null {
  if (!existsSync(path)) return null;
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    database.exec("PRAGMA busy_timeout = 5000");
    const version = versionOf(database);
    if (version !== journalVersion) throw new JournalVersionMismatch(path, version);
    const shared = createJournalDatabase(database, () => 0);
    const { runs, config } = createRunRows(shared);
    const { verdicts } = createJudgements(shared);
    return {
      runs,
      config,
      verdicts,
      ...readEvents(shared),
      ...createRecordingRows(shared),
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}
