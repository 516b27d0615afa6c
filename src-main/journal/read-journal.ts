import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { createJournalDatabase } from "./journal-database.ts";
import { createJudgements } from "./judgements.ts";
import { createRecordingRows } from "./recording-rows.ts";
import { createRunRows } from "./run-rows.ts";
import { schemaVersions } from "./schema.ts";

/** What can be read of a journal, whoever writes it at that moment. Nothing here changes the file. */
export type JournalReader = Pick<ReturnType<typeof createRunRows>, "runs" | "config"> &
  Pick<ReturnType<typeof createJudgements>, "verdicts"> &
  ReturnType<typeof createRecordingRows> & { close(): void };

/** A journal that cannot be read as it is. */
export class JournalUnreadable extends Error {
  override readonly name = "JournalUnreadable";
  readonly remedy: string;
  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}

/**
 * Opens a journal for reading, also beside the host that works with it.
 *
 * @returns null where there is none: this repository never had a run
 * @throws JournalUnreadable for one of another version: only a host that holds the repository brings it up to date
 */
export function readJournal(path: string): JournalReader | null {
  if (!existsSync(path)) return null;
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    database.exec("PRAGMA busy_timeout = 5000");
    const version = Number(database.prepare("PRAGMA user_version").get()?.user_version ?? 0);
    if (version !== schemaVersions.length)
      throw new JournalUnreadable(
        `The journal of this repository has version ${version}, this Hox reads ${schemaVersions.length}.`,
        version < schemaVersions.length
          ? "Open the repository with this Hox once (hox status does), and try again."
          : "Use the newer Hox.",
      );
    const shared = createJournalDatabase(database, () => 0);
    const { runs, config } = createRunRows(shared);
    const { verdicts } = createJudgements(shared);
    return { runs, config, verdicts, ...createRecordingRows(shared), close: () => database.close() };
  } catch (error) {
    database.close();
    throw error;
  }
}
