import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import type { Journal } from "../../journal/journal.ts";
import type { EngineEvent } from "../engine-interface.ts";
import type { Recorder } from "../ports.ts";

/** Text arrives in small pieces; a screen needs no more than one update per frame or two. */
const screenMs = 33;
/**
 * Each journal write waits for the disk and blocks the host, so the rows of all workers are written together. The end of a
 * turn or an iteration is flushed; resume data is stored separately.
 */
const journalMs = 1_000;

const retries = 3;
const retryMs = 100;
/** Of a journal that takes nothing for long, the newest rows are kept. */
const maxBufferedEntries = 5_000;

interface TranscriptsOptions {
  readonly journal: Pick<Journal, "rowCount" | "setRows" | "together">;
  readonly run: string;
  readonly now: () => number;
  readonly emit: (event: EngineEvent) => void;
  /** Once for each time that rows of a worker could not be written in spite of trying again. */
  readonly onError: (worker: string, error: unknown) => void;
}

/** Rows that are not in the journal yet, by their index: of a row that grows the newest counts. */
interface Unwritten {
  readonly worker: string;
  readonly rows: Map<number, ConversationRow>;
  failures: number;
  retry: NodeJS.Timeout | null;
}

/** The transcripts of one run. @returns makes the recorder of a worker */
export function createTranscripts(options: TranscriptsOptions): (worker: string) => Recorder {
  const { journal, run } = options;
  const waiting = new Set<Unwritten>();
  let writing: NodeJS.Timeout | null = null;

  const setRows = ({ worker, rows }: Unwritten): void => journal.setRows(run, worker, [...rows.values()]);
  const written = (one: Unwritten): void => {
    one.rows.clear();
    one.failures = 0;
  };
  const write = (one: Unwritten): void => {
    if (one.retry) clearTimeout(one.retry);
    one.retry = null;
    waiting.delete(one);
    if (writing && waiting.size === 0) {
      clearTimeout(writing);
      writing = null;
    }
    if (one.rows.size === 0) return;
    try {
      setRows(one);
      written(one);
    } catch (error) {
      for (const index of [...one.rows.keys()].slice(0, -maxBufferedEntries)) one.rows.delete(index);
      one.failures += 1;
      if (one.failures <= retries) one.retry = setTimeout(() => write(one), retryMs * one.failures);
      else if (one.failures === retries + 1) options.onError(one.worker, error);
    }
  };
  const writeAll = (): void => {
    writing = null;
    const all = [...waiting];
    waiting.clear();
    try {
      journal.together(() => all.forEach(setRows));
      all.forEach(written);
    } catch {
      // Rows of one worker may have failed all: each is written alone, and reports its own failure.
      all.forEach(write);
    }
  };

  return (worker) => {
    const unwritten: Unwritten = { worker, rows: new Map(), failures: 0, retry: null };
    return createRecorder(options, worker, {
      add(row) {
        unwritten.rows.set(row.index, row);
        if (unwritten.retry) return;
        waiting.add(unwritten);
        writing ??= setTimeout(writeAll, journalMs);
      },
      flush: () => write(unwritten),
    });
  };
}

/** @param unwritten rows for the journal; `flush` writes them now */
function createRecorder(
  { journal, run, now, emit }: TranscriptsOptions,
  worker: string,
  unwritten: { readonly add: (row: ConversationRow) => void; readonly flush: () => void },
): Recorder {
  let next = journal.rowCount(run, worker);
  let last: ConversationRow | null = null;
  /** By their index: of a row that grows the newest counts. */
  const unshown = new Map<number, ConversationRow>();
  let showing: NodeJS.Timeout | null = null;

  const show = () => {
    if (showing) clearTimeout(showing);
    showing = null;
    const rows = [...unshown.values()];
    unshown.clear();
    if (rows.length > 0) emit({ kind: "conversation", run, worker, rows });
  };

  const add = (row: ConversationRow) => {
    last = row;
    unshown.set(row.index, row);
    unwritten.add(row);
    showing ??= setTimeout(show, screenMs);
  };

  return {
    entry(entry) {
      if ((entry.kind === "text" || entry.kind === "thinking") && last?.kind === entry.kind) {
        add({ ...last, text: last.text + entry.text });
        return;
      }
      add({ index: next, at: now(), ...entry });
      next += 1;
    },
    flush() {
      unwritten.flush();
      show();
    },
  };
}
