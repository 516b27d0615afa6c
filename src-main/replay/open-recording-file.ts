/** Opens an untrusted recording in a worker thread of limited memory. */

import { join } from "node:path";
import { defaultConfig } from "../config/settings.ts";
import { type JournalReader, readJournal } from "../journal/read-journal.ts";
import { runInWorker, TextRefused } from "../worker-thread/run-in-worker.ts";
import { type Recording, ReplayRefusal, readRecording } from "./recording.ts";
import { readRecordingFile } from "./recording-file.ts";

type RecordingOrRefusal =
  | { readonly recording: Recording }
  | { readonly refusal: Pick<ReplayRefusal, "message" | "remedy"> };

const limits = { what: "this recording", deadlineMs: 120_000, maxMemoryMb: 2_048 };

/** @throws ReplayRefusal that says what is wrong with it */
export async function openRecordingFile(bytes: Uint8Array): Promise<Recording> {
  let read: RecordingOrRefusal;
  try {
    read = (await runInWorker("readRecording", bytes, limits)) as RecordingOrRefusal;
  } catch (error) {
    if (!(error instanceof TextRefused)) throw error;
    throw new ReplayRefusal(error.message, "A Hox recording is never this large. Do not open it.");
  }
  if ("refusal" in read) throw new ReplayRefusal(read.refusal.message, read.refusal.remedy);
  return read.recording;
}

/** What the worker thread does. */
export function readRecordingInWorker(bytes: Uint8Array): RecordingOrRefusal {
  try {
    return { recording: readRecordingFile(bytes) };
  } catch (error) {
    if (!(error instanceof ReplayRefusal)) throw error;
    return { refusal: { message: error.message, remedy: error.remedy } };
  }
}

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
