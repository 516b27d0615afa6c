import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import type { Journal } from "../../journal/journal.ts";
import type { EngineEvent } from "../engine-interface.ts";
import type { Recorder } from "../ports.ts";

/** Text arrives in small pieces; a screen needs no more than one update per frame or two. */
const screenMs = 33;
/**
 * Each journal write waits for the disk and blocks the host: with many streaming agents even once per second
 * each is much. The end of a turn or an iteration is flushed; resume data is stored separately.
 */
const journalMs = 1_000;

const retries = 3;
const retryMs = 100;
/** Of a journal that takes nothing for long, the newest rows are kept. */
const maxBufferedEntries = 5_000;

export function createRecorder(options: {
  readonly journal: Journal;
  readonly run: string;
  readonly worker: string;
  readonly now: () => number;
  readonly emit: (event: EngineEvent) => void;
  /** Once for each time that rows could not be written in spite of trying again. */
  readonly onError: (error: unknown) => void;
}): Recorder {
  const { journal, run, worker } = options;
  let next = journal.rowCount(run, worker);
  let last: ConversationRow | null = null;
  /** By their index: of a row that grows the newest counts. */
  const unshown = new Map<number, ConversationRow>();
  const unwritten = new Map<number, ConversationRow>();
  let failures = 0;
  let showing: NodeJS.Timeout | null = null;
  let writing: NodeJS.Timeout | null = null;

  const show = () => {
    if (showing) clearTimeout(showing);
    showing = null;
    const rows = [...unshown.values()];
    unshown.clear();
    if (rows.length > 0) options.emit({ kind: "conversation", run, worker, rows });
  };

  const write = () => {
    if (writing) clearTimeout(writing);
    writing = null;
    if (unwritten.size === 0) return;
    try {
      journal.setRows(run, worker, [...unwritten.values()]);
      unwritten.clear();
      failures = 0;
    } catch (error) {
      for (const index of [...unwritten.keys()].slice(0, -maxBufferedEntries)) unwritten.delete(index);
      failures += 1;
      if (failures <= retries) writing = setTimeout(write, retryMs * failures);
      else if (failures === retries + 1) options.onError(error);
    }
  };

  const add = (row: ConversationRow) => {
    last = row;
    unshown.set(row.index, row);
    unwritten.set(row.index, row);
    showing ??= setTimeout(show, screenMs);
    writing ??= setTimeout(write, journalMs);
  };

  return {
    entry(entry) {
      if ((entry.kind === "text" || entry.kind === "thinking") && last?.kind === entry.kind) {
        add({ ...last, text: last.text + entry.text });
        return;
      }
      add({ index: next, at: options.now(), ...entry });
      next += 1;
    },
    flush() {
      write();
      show();
    },
  };
}
