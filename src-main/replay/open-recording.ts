import { join } from "node:path";
import { defaultConfig } from "../config/config-of.ts";
import { type JournalReader, readJournal } from "../journal/read-journal.ts";
import { type Recording, ReplayRefusal, readRecording } from "./recording.ts";

/** Reads one of a repository's runs, also while a host works on it. Nothing is written. */
export const openRecording = (stateFolder: string, name: string): Recording =>
  withJournal(stateFolder, (journal) => readRecording(journal, name, defaultConfig));

/** For what is read of several runs at once. @throws ReplayRefusal where there never was one */
export function withJournal<T>(stateFolder: string, task: (journal: JournalReader) => T): T {
  const found = withJournalOrNone(stateFolder, (journal) => ({ value: task(journal) }));
  if (!found) throw new ReplayRefusal("No runs in this repository yet.", 'Start one: hox run --goal "…"');
  return found.value;
}

/** The same; null where there never was one. */
export function withJournalOrNone<T>(stateFolder: string, task: (journal: JournalReader) => T): T | null {
  const journal = readJournal(join(stateFolder, "journal.sqlite"));
  if (!journal) return null;
  try {
    return task(journal);
  } finally {
    journal.close();
  }
}
